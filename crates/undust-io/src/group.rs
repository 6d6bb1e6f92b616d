//! Grouping pages by site with bounded memory: what does not fit goes to disk, in partitions that do.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::mem;
use std::vec;

use undust::page::Page;
use undust::url::{SiteBy, SplitUrl, site_of};
use xxhash_rust::xxh3::xxh3_64;

/// Partition files: each holds about this part of the input, and the system allows as many open files.
const PARTITIONS: usize = 64;

/// Some sites by name, each with its pages in input order.
pub type Sites = Vec<(String, Vec<Page>)>;

/// Collects pages of any order, to give them back site by site.
///
/// Pages are held in memory until they fill it; then all of them, and all that follow, go to temporary files by a hash
/// of their site. What comes back for a site is the same in both cases.
#[derive(Debug)]
pub struct BySite {
    by: SiteBy,
    memory_bytes: u64,
    held_bytes: u64,
    held: BTreeMap<String, Vec<Page>>,
    last: LastSite,
    /// Empty until the memory is full.
    spilled: Vec<Partition>,
}

impl BySite {
    /// An empty collection that holds about `memory_bytes` before it goes to disk.
    pub fn new(memory_bytes: u64, by: SiteBy) -> BySite {
        let (held, last) = (BTreeMap::new(), LastSite::default());
        BySite { by, memory_bytes, held_bytes: 0, held, last, spilled: Vec::new() }
    }

    /// Add one page.
    pub fn push(&mut self, page: Page) -> io::Result<()> {
        let site = self.last.site_of(&page.url, self.by);
        if !self.spilled.is_empty() {
            return write(&mut self.spilled, site, &page);
        }
        self.held_bytes += page.memory_bytes();
        add(&mut self.held, site, page);
        if self.held_bytes > self.memory_bytes { self.spill() } else { Ok(()) }
    }

    /// All sites, a partition at a time.
    pub fn finish(self) -> io::Result<Partitions> {
        let held = (!self.held.is_empty()).then(|| self.held.into_iter().collect());
        let spilled: io::Result<Vec<_>> = self.spilled.into_iter().map(Partition::into_reader).collect();
        Ok(Partitions { by: self.by, held, spilled: spilled?.into_iter() })
    }

    /// Move everything to disk.
    fn spill(&mut self) -> io::Result<()> {
        self.spilled = (0..PARTITIONS).map(|_| Partition::new()).collect::<io::Result<_>>()?;
        self.held_bytes = 0;
        for (site, pages) in mem::take(&mut self.held) {
            for page in pages {
                write(&mut self.spilled, &site, &page)?;
            }
        }
        Ok(())
    }
}

fn add(sites: &mut BTreeMap<String, Vec<Page>>, site: &str, page: Page) {
    match sites.get_mut(site) {
        Some(pages) => pages.push(page),
        None => _ = sites.insert(site.to_owned(), vec![page]),
    }
}

fn write(partitions: &mut [Partition], site: &str, page: &Page) -> io::Result<()> {
    let partition = xxh3_64(site.as_bytes()) as usize % partitions.len();
    partitions[partition].write(page)
}

/// The site of the page before. Hosts come in runs, and finding a site takes longer than remembering it.
#[derive(Debug, Default)]
struct LastSite {
    host: Vec<u8>,
    site: String,
}

impl LastSite {
    fn site_of(&mut self, url: &[u8], by: SiteBy) -> &str {
        // No host, no name: this is what it begins with.
        let host = SplitUrl::new(url).map_or(&[][..], |split| split.host());
        if host != self.host {
            self.host = host.to_vec();
            self.site = site_of(url, by);
        }
        &self.site
    }
}

/// The sites of a [`BySite`], one partition after the other; in each, the sites are sorted by name.
#[derive(Debug)]
pub struct Partitions {
    by: SiteBy,
    held: Option<Sites>,
    spilled: vec::IntoIter<PartitionReader>,
}

impl Iterator for Partitions {
    type Item = io::Result<Sites>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(sites) = self.held.take() {
            return Some(Ok(sites));
        }
        let partition = self.spilled.find(|partition| partition.pages > 0)?;
        Some(partition.sites(self.by))
    }
}

/// A temporary file of pages, which the system removes when it is closed.
#[derive(Debug)]
struct Partition {
    file: BufWriter<File>,
    pages: u64,
    /// One page as it is written; kept for its allocation.
    record: Vec<u8>,
}

impl Partition {
    fn new() -> io::Result<Partition> {
        Ok(Partition { file: BufWriter::new(tempfile::tempfile()?), pages: 0, record: Vec::new() })
    }

    fn write(&mut self, page: &Page) -> io::Result<()> {
        self.record.clear();
        self.record = postcard::to_extend(page, mem::take(&mut self.record)).map_err(io::Error::other)?;
        self.file.write_all(&(self.record.len() as u64).to_le_bytes())?;
        self.file.write_all(&self.record)?;
        self.pages += 1;
        Ok(())
    }

    fn into_reader(self) -> io::Result<PartitionReader> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(PartitionReader { file: BufReader::new(file), pages: self.pages })
    }
}

#[derive(Debug)]
struct PartitionReader {
    file: BufReader<File>,
    pages: u64,
}

impl PartitionReader {
    fn sites(mut self, by: SiteBy) -> io::Result<Sites> {
        let mut sites: BTreeMap<String, Vec<Page>> = BTreeMap::new();
        let (mut last, mut record) = (LastSite::default(), Vec::new());
        for _ in 0..self.pages {
            let page = self.read(&mut record)?;
            let site = last.site_of(&page.url, by);
            add(&mut sites, site, page);
        }
        Ok(sites.into_iter().collect())
    }

    fn read(&mut self, record: &mut Vec<u8>) -> io::Result<Page> {
        let mut length = [0; 8];
        self.file.read_exact(&mut length)?;
        record.resize(u64::from_le_bytes(length) as usize, 0);
        self.file.read_exact(record)?;
        postcard::from_bytes(record).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> Vec<Page> {
        (0..1000_u64)
            .map(|i| Page {
                digest: Some(format!("d{i}")),
                importance: Some(i as f64 / 3.0),
                text: (i % 7 == 0).then(|| "word ".repeat(i as usize)),
                ..Page::new(format!("http://www.site{}.com/{i}", i * i % 101))
            })
            .chain([Page::new(b"http://a.org/\xff".to_vec()), Page::new("mailto:x")])
            .collect()
    }

    fn grouped(memory_bytes: u64) -> (usize, Sites) {
        let mut by_site = BySite::new(memory_bytes, SiteBy::Domain);
        for page in pages() {
            by_site.push(page).unwrap();
        }
        let partitions: Vec<Sites> = by_site.finish().unwrap().collect::<io::Result<_>>().unwrap();
        for sites in &partitions {
            assert!(sites.is_sorted_by(|a, b| a.0 < b.0));
        }
        let count = partitions.len();
        let mut sites: Sites = partitions.into_iter().flatten().collect();
        sites.sort_by(|a, b| a.0.cmp(&b.0));
        (count, sites)
    }

    #[test]
    fn disk_gives_what_memory_gives() {
        let (one, in_memory) = grouped(u64::MAX);
        assert_eq!(one, 1);
        assert_eq!(in_memory.iter().map(|(_, pages)| pages.len()).sum::<usize>(), pages().len());
        for memory_bytes in [0, 100_000] {
            let (many, on_disk) = grouped(memory_bytes);
            assert!(many > 10);
            assert_eq!(on_disk, in_memory);
        }
    }

    #[test]
    fn pages_of_a_site_keep_their_order() {
        for (site, pages) in grouped(50_000).1 {
            let in_input: Vec<Page> =
                self::pages().into_iter().filter(|page| site_of(&page.url, SiteBy::Domain) == site).collect();
            assert_eq!(pages, in_input);
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(BySite::new(0, SiteBy::Host).finish().unwrap().count(), 0);
    }
}
