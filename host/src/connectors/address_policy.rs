//! Which addresses may be called.
//!
//! Owns the ranges that are not the public Internet, and [`GuardedResolver`], which looks a name up once for
//! each connection, checks every address that came back and hands exactly those to the HTTP client: what was
//! checked is what is connected to, so a name that changes its answer gains nothing (s26). A name with a
//! single forbidden address is refused as a whole, since a public name has no business there. A failed
//! look-up is passed on as it is; a refusal is [`AddressRefused`], which says the remedy.

use std::io;
use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;
use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::Addrs;
use reqwest::dns::Name;
use reqwest::dns::Resolve;
use reqwest::dns::Resolving;
use thiserror::Error;

/// IPv4 ranges off the public Internet: first address, prefix length, name (IANA special-purpose registry).
const IPV4_RANGES: [(Ipv4Addr, u32, &str); 17] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "carrier-grade NAT"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    // Azure answers metadata and agent requests at an address that looks public.
    (Ipv4Addr::new(168, 63, 129, 16), 32, "cloud metadata"),
    (Ipv4Addr::new(169, 254, 169, 254), 32, "cloud metadata"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved or broadcast"),
];

/// IPv6 ranges off the public Internet, in the same form.
const IPV6_RANGES: [(Ipv6Addr, u32, &str); 13] = [
    (Ipv6Addr::UNSPECIFIED, 128, "unspecified"),
    (Ipv6Addr::LOCALHOST, 128, "loopback"),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "local NAT64"),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64, "discard"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "protocol assignments"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation"),
    (Ipv6Addr::new(0x5f00, 0, 0, 0, 0, 0, 0, 0), 16, "segment routing"),
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), 128, "cloud metadata"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "unique local"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "link-local"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "site-local"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "multicast"),
];

/// An address that the policy does not let through.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AddressRefused {
    /// It is off the public Internet, and that is not allowed.
    #[error(
        "refused to connect to `{host}`: {address} is in a range off the public Internet ({range}); \
         if it is meant to be there, set `allow_private_addresses` to true"
    )]
    Private {
        /// The host as the address spells it.
        host: String,
        /// The forbidden address.
        address: IpAddr,
        /// The name of the range that it is in.
        range: &'static str,
    },
    /// It is on the public Internet, and what is sent there must not be read on the way.
    #[error(
        "refused to connect to `{host}`: {address} is on the public Internet, where what is sent in plain text can be \
         read on the way; use https"
    )]
    Public {
        /// The host as the address spells it.
        host: String,
        /// The forbidden address.
        address: IpAddr,
    },
}

/// Which addresses may be called.
#[derive(Clone, Copy, Debug, Default)]
pub struct AddressPolicy {
    /// Lets ranges off the public Internet through; for what is inside the operator's own network.
    pub allow_private: bool,
    /// Keeps the public Internet out; for what is sent in plain text.
    pub refuse_public: bool,
}

impl AddressPolicy {
    /// Lets `address`, which `host` named, through or refuses it.
    ///
    /// # Errors
    /// [`AddressRefused`], where the address is on the side that is not allowed. An IPv6
    /// address that only wraps an IPv4 one (mapped, compatible, NAT64, 6to4) is judged by what is inside.
    ///
    /// ```
    /// use onceward::connectors::address_policy::AddressPolicy;
    /// let policy = AddressPolicy::default();
    /// assert!(policy.check("a.example", [9, 9, 9, 9].into()).is_ok());
    /// assert!(policy.check("a.example", "::ffff:10.0.0.1".parse()?).is_err());
    /// let plain = AddressPolicy { allow_private: true, refuse_public: true };
    /// assert!(plain.check("a.example", [9, 9, 9, 9].into()).is_err());
    /// # Ok::<(), std::net::AddrParseError>(())
    /// ```
    pub fn check(&self, host: &str, address: IpAddr) -> Result<(), AddressRefused> {
        let range = match address {
            IpAddr::V4(address) => ipv4_range(address),
            IpAddr::V6(address) => ipv6_range(address),
        };
        let host = || host.to_owned();
        match range {
            Some(range) if !self.allow_private => {
                Err(AddressRefused::Private { host: host(), address, range })
            }
            None if self.refuse_public => Err(AddressRefused::Public { host: host(), address }),
            Some(_) | None => Ok(()),
        }
    }
}

fn ipv4_range(address: Ipv4Addr) -> Option<&'static str> {
    let found = IPV4_RANGES
        .iter()
        .find(|(first, prefix, _)| (address.to_bits() ^ first.to_bits()) >> (32 - prefix) == 0);
    found.map(|(_, _, name)| *name)
}

fn ipv6_range(address: Ipv6Addr) -> Option<&'static str> {
    let found = IPV6_RANGES
        .iter()
        .find(|(first, prefix, _)| (address.to_bits() ^ first.to_bits()) >> (128 - prefix) == 0);
    found.map(|(_, _, name)| *name).or_else(|| ipv4_range(embedded_ipv4(address)?))
}

fn embedded_ipv4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let low = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, a, b]
        | [0, 0, 0, 0, 0xffff, 0, a, b]
        | [0x64, 0xff9b, 0, 0, 0, 0, a, b]
        | [0x2002, a, b, ..] => Some(low(a, b)),
        _ => None,
    }
}

/// How a name becomes addresses; a door of its own, so that tests can have a name server that lies.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// All addresses of `name`.
    ///
    /// # Errors
    /// Whatever the name service says.
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The operating system's name service.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// The resolver that the HTTP client is given: looks up once, checks all, pins what was checked.
#[derive(Clone)]
pub struct GuardedResolver {
    policy: AddressPolicy,
    lookup: Arc<dyn Lookup>,
}

impl GuardedResolver {
    /// A resolver that asks `lookup` and lets through what `policy` lets through.
    #[must_use]
    pub fn new(policy: AddressPolicy, lookup: Arc<dyn Lookup>) -> GuardedResolver {
        GuardedResolver { policy, lookup }
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let this = self.clone();
        Box::pin(async move {
            let addresses = this.lookup.lookup(name.as_str()).await?;
            for address in &addresses {
                this.policy.check(name.as_str(), *address)?;
            }
            // The client fills in the port of the URL for port 0.
            let pinned: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(pinned)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn check(addresses: &[&str], expected: Option<&str>) {
        for address in addresses {
            let address = address.parse().unwrap();
            let range = match AddressPolicy::default().check("h", address) {
                Err(AddressRefused::Private { range, .. }) => Some(range),
                Err(refused @ AddressRefused::Public { .. }) => panic!("{refused}"),
                Ok(()) => None,
            };
            assert_eq!(range, expected, "{address}");
            let open = AddressPolicy { allow_private: true, refuse_public: false };
            assert!(open.check("h", address).is_ok());
            // In plain text, only what is not public.
            let plain = AddressPolicy { refuse_public: true, ..open };
            assert_eq!(plain.check("h", address).is_ok(), expected.is_some(), "{address}");
        }
    }

    #[test]
    fn addresses_off_the_public_internet_are_refused() {
        check(
            &["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"],
            Some("loopback"),
        );
        check(
            &[
                "10.0.0.1",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.1.1",
                "::ffff:10.1.2.3",
                "::ffff:0:10.1.2.3",
                "::10.0.0.1",
            ],
            Some("private"),
        );
        check(&["169.254.1.1", "fe80::1", "febf::1"], Some("link-local"));
        check(
            &["169.254.169.254", "::ffff:169.254.169.254", "168.63.129.16", "fd00:ec2::254"],
            Some("cloud metadata"),
        );
        check(&["100.64.0.1", "100.127.255.255", "100.100.100.200"], Some("carrier-grade NAT"));
        check(&["fc00::1", "fdff::1"], Some("unique local"));
        check(&["224.0.0.1", "239.255.255.255", "ff02::1"], Some("multicast"));
        check(&["0.0.0.0", "0.1.2.3"], Some("this network"));
        check(&["255.255.255.255", "240.0.0.1"], Some("reserved or broadcast"));
        check(&["::"], Some("unspecified"));
    }

    #[test]
    fn public_addresses_next_to_a_range_pass() {
        check(
            &[
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.0",
                "172.15.255.255",
                "172.32.0.0",
            ],
            None,
        );
        check(
            &[
                "192.167.255.255",
                "192.169.0.0",
                "223.255.255.255",
                "168.63.129.15",
                "2606:4700::1",
                "2a00::1",
                "64:ff9b::909:909",
                "::ffff:9.9.9.9",
            ],
            None,
        );
    }

    /// A name service that gives its answers one after the other and then has none.
    struct Changing(Mutex<Vec<Vec<IpAddr>>>);

    #[async_trait]
    impl Lookup for Changing {
        async fn lookup(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
            self.0.lock().unwrap().pop().ok_or_else(|| io::Error::other("no more answers"))
        }
    }

    async fn resolve(resolver: &GuardedResolver) -> Result<Vec<IpAddr>, String> {
        let answer = resolver.resolve("crm.example".parse().unwrap()).await;
        answer
            .map(|addresses| addresses.map(|address| address.ip()).collect())
            .map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn s26_a_name_that_turns_private_is_refused_at_the_look_up_that_says_so() {
        let (public, private): (IpAddr, IpAddr) = ([9, 9, 9, 9].into(), [10, 0, 0, 7].into());
        let lookup = Arc::new(Changing(Mutex::new(vec![vec![public, private], vec![private], vec![public]])));
        let resolver = GuardedResolver::new(AddressPolicy::default(), lookup.clone());
        assert_eq!(resolve(&resolver).await, Ok(vec![public]));
        assert_eq!(lookup.0.lock().unwrap().len(), 2, "one look-up for one connection");
        for _ in ["private alone", "private among public"] {
            let refused = resolve(&resolver).await.unwrap_err();
            assert!(refused.contains("10.0.0.7") && refused.contains("allow_private_addresses"), "{refused}");
        }
    }
}
