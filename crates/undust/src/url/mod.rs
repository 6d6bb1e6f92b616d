//! The URL model: a URL split into its parts without copying, safe normalisation, and the site a URL belongs to.

mod escape;
mod normalize;
mod site;
mod split;

pub(crate) use escape::{append_normal, escaped, has_only_reserved_escapes, in_broken_escape, is_unreserved};
pub use normalize::normalize;
pub(crate) use normalize::split_if_normal;
#[doc(hidden)]
pub use normalize::{has_strange_byte, is_normal};
#[doc(hidden)]
pub use site::find_by_host_suffix;
#[cfg(feature = "psl")]
#[doc(hidden)]
pub use site::is_public_host;
#[cfg(feature = "psl")]
pub use site::site_of;
pub use site::{SiteBy, UnknownSiteBy};
pub use split::SplitUrl;
pub(crate) use split::split_segments;
#[doc(hidden)]
pub use split::{Key, Param, Params, Place, join};
