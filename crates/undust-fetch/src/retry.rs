//! When to ask again, and how long to wait before.

use std::time::Duration;

use crate::clock;
use crate::error::FetchErrorKind;
use crate::http::Answer;
use crate::options::Options;

/// What follows from an attempt.
#[derive(Debug, PartialEq)]
pub(crate) struct Next {
    /// Whether to try again.
    pub(crate) again: bool,
    /// How long to leave the host alone, beyond the usual delay.
    pub(crate) pause: Duration,
}

/// Judges the attempt after `repeated` others.
pub(crate) fn next(result: &Result<Answer, FetchErrorKind>, repeated: u32, options: &Options) -> Next {
    let asked = match result {
        Ok(answer) if matches!(answer.status, 429 | 503) => {
            answer.retry_after.as_deref().and_then(retry_after)
        }
        Err(FetchErrorKind::Transport(_)) => None,
        _ => return Next { again: false, pause: Duration::ZERO },
    };
    let own = options.back_off.saturating_mul(2_u32.saturating_pow(repeated));
    let pause = asked.map_or(own, |asked| asked.max(options.back_off)).min(options.max_back_off);
    let within_reason = asked.is_none_or(|asked| asked <= options.max_back_off);
    Next { again: repeated < options.retries && within_reason, pause }
}

/// The value of `Retry-After`: seconds or a date.
fn retry_after(value: &str) -> Option<Duration> {
    let value = value.trim();
    let date = || httpdate::parse_http_date(value).ok().map(clock::until);
    value.parse().ok().map(Duration::from_secs).or_else(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(status: u16, retry_after: Option<&str>, repeated: u32) -> Next {
        let options = Options { back_off: Duration::from_secs(2), ..Options::default() };
        let answer = Answer { status, retry_after: retry_after.map(str::to_owned), ..Answer::default() };
        next(&Ok(answer), repeated, &options)
    }

    fn pause(seconds: u64, again: bool) -> Next {
        Next { again, pause: Duration::from_secs(seconds) }
    }

    #[test]
    fn answers_are_final_but_for_two() {
        assert_eq!(judged(200, Some("9"), 0), pause(0, false));
        assert_eq!(judged(404, None, 0), pause(0, false));
        assert_eq!(judged(500, None, 0), pause(0, false));
        assert_eq!(judged(503, None, 0), pause(2, true));
        assert_eq!(judged(429, None, 1), pause(4, true));
        assert_eq!(judged(429, None, 2), pause(8, false), "the last attempt");
    }

    #[test]
    fn the_host_says_how_long() {
        assert_eq!(judged(503, Some(" 7 "), 0), pause(7, true));
        assert_eq!(judged(503, Some("0"), 0), pause(2, true));
        assert_eq!(judged(503, Some("soon"), 0), pause(2, true));
        assert_eq!(judged(503, Some("3600"), 0), pause(60, false), "more than we wait");
        assert_eq!(judged(503, Some("Sun, 06 Nov 1994 08:49:37 GMT"), 0), pause(2, true));
        assert_eq!(judged(503, Some("Thu, 06 Nov 2594 08:49:37 GMT"), 0), pause(60, false));
    }
}
