//! Rules said as one, and the strategies of WWW 2010 on a real site.

mod composed;
// The same random rules and URLs that the engine is tested on.
#[allow(dead_code, reason = "not all of them are needed here")]
#[path = "../../undust/tests/generate.rs"]
mod generate;
mod noise;
