//! Which addresses may be connected to.
//!
//! A URL from a log can name the machine's own services or those of its network, directly, by a name that resolves to them,
//! or by a redirect. So names are resolved here, and what is connected to is exactly what was checked.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use thiserror::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::options::Options;

/// IPv4 networks that are not part of the public internet: first address and length of the prefix (IANA's registry of
/// special-purpose addresses).
const NOT_PUBLIC_V4: [([u8; 4], u32); 15] = [
    ([0, 0, 0, 0], 8),       // this network
    ([10, 0, 0, 0], 8),      // private
    ([100, 64, 0, 0], 10),   // behind a provider's NAT
    ([127, 0, 0, 0], 8),     // loopback
    ([169, 254, 0, 0], 16),  // link-local, with the metadata services of clouds
    ([172, 16, 0, 0], 12),   // private
    ([192, 0, 0, 0], 24),    // protocol assignments
    ([192, 0, 2, 0], 24),    // documentation
    ([192, 88, 99, 0], 24),  // 6to4 relays
    ([192, 168, 0, 0], 16),  // private
    ([198, 18, 0, 0], 15),   // benchmarks
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 4),     // multicast
    ([240, 0, 0, 0], 4),     // reserved, broadcast
];

/// Whether an address is part of the public internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let within = |(network, length): ([u8; 4], u32)| {
        (address.to_bits() ^ Ipv4Addr::from(network).to_bits()).leading_zeros() >= length
    };
    !NOT_PUBLIC_V4.into_iter().any(within)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let embedded =
        |high: u16, low: u16| is_public_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    match segments {
        // IPv4 in other clothes: mapped, translated (NAT64), tunnelled (6to4).
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => embedded(high, low),
        // Protocol assignments with Teredo and benchmarks; documentation.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        // All that is given out so far. Loopback, unique local, link-local, multicast and the rest lie outside.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

/// What a fetcher may connect to.
#[derive(Clone, Debug)]
pub(crate) struct Addresses {
    any: bool,
    also: Vec<IpAddr>,
}

impl Addresses {
    pub(crate) fn new(options: &Options) -> Addresses {
        Addresses { any: options.allow_private, also: options.allow_addresses.clone() }
    }

    pub(crate) fn permits(&self, address: IpAddr) -> bool {
        self.any || is_public(address) || self.also.contains(&address)
    }
}

/// Resolves names, and keeps back what may not be connected to.
#[derive(Debug)]
pub(crate) struct Guard(pub(crate) Addresses);

impl Resolver for Guard {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = DefaultResolver::default().resolve(uri, config, timeout)?;
        let mut permitted = self.empty();
        for address in found.iter().filter(|address| self.0.permits(address.ip())) {
            permitted.push(*address);
        }
        match found.first() {
            Some(first) if permitted.is_empty() => Err(ureq::Error::Other(Box::new(NotPublic(first.ip())))),
            _ => Ok(permitted),
        }
    }
}

/// The guard's refusal, as it comes back from the HTTP client.
#[derive(Debug, Error)]
#[error("{0} is not a public address")]
pub(crate) struct NotPublic(pub(crate) IpAddr);

#[cfg(test)]
mod tests {
    use super::*;

    const PRIVATE: &str = "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.0.1 \
        169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 \
        198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 \
        :: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::10.0.0.1 \
        64:ff9b:1::8.8.8.8 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 \
        2001:db8::1 2002:7f00:1:: 2002:c0a8:101::1 3fff::1 3fff:fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 \
        fec0::1 ff02::1";

    const PUBLIC: &str = "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 \
        169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255 192.169.0.0 198.17.255.255 \
        198.20.0.0 223.255.255.255 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2001:200::1 2001:4860:4860::8888 2002:808:808::1 \
        2606:4700::1111 2a00:1450:4001::1 3fff:1000::1";

    #[test]
    fn only_the_public_internet_is_public() {
        for address in PRIVATE.split_whitespace() {
            assert!(!is_public(address.parse().expect(address)), "{address}");
        }
        for address in PUBLIC.split_whitespace() {
            assert!(is_public(address.parse().expect(address)), "{address}");
        }
    }
}
