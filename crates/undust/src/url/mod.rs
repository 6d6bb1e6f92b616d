//! The URL model: a borrowed split with offsets, the key-value view, safe normalisation and the site a URL belongs to.

mod escape;
mod normalize;
mod site;
mod split;

pub(crate) use escape::{append_normal, escaped, has_only_reserved_escapes, in_broken_escape, is_unreserved};
pub(crate) use normalize::split_if_normal;
pub use normalize::{has_strange_byte, is_normal, normalize};
pub use site::{SiteBy, find_by_host_suffix, is_public_host, site_of, site_of_host};
pub(crate) use split::split_segments;
pub use split::{Key, Param, Params, Place, SplitUrl, join};
