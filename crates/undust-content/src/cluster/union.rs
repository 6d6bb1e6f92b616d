//! Union-find.

/// Disjoint sets of pages that can be joined. The root of a set is its smallest page, so that the result does not depend on the order of joins.
#[derive(Clone)]
pub(super) struct Union {
    parents: Vec<u32>,
}

impl Union {
    pub(super) fn new(pages: usize) -> Union {
        Union { parents: (0..pages as u32).collect() }
    }

    /// The first page of the set; the way there is halved for the next time.
    pub(super) fn root(&mut self, mut page: u32) -> u32 {
        while self.parents[page as usize] != page {
            let above = self.parents[page as usize];
            self.parents[page as usize] = self.parents[above as usize];
            page = above;
        }
        page
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// The sets as they are now.
    pub(super) fn sets(mut self) -> Sets {
        // A parent is smaller than its children, and has been led to its root before them: long rows take no longer.
        for page in 0..self.parents.len() {
            self.parents[page] = self.parents[self.parents[page] as usize];
        }
        Sets { firsts: self.parents }
    }
}

/// Disjoint sets of pages that are not joined any more.
pub(super) struct Sets {
    /// For each page the first one of its set.
    firsts: Vec<u32>,
}

impl Sets {
    pub(super) fn first(&self, page: u32) -> u32 {
        self.firsts[page as usize]
    }

    /// How many pages there are in the set of each first page; 0 for the others.
    pub(super) fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.firsts.len()];
        for &first in &self.firsts {
            sizes[first as usize] += 1;
        }
        sizes
    }

    /// How many pages are not the first of their set.
    pub(super) fn joined(&self) -> u64 {
        self.firsts.iter().zip(0..).filter(|&(&first, page)| first != page).count() as u64
    }

    /// The sets of more than one page, in the order of their first pages.
    pub(super) fn groups(&self) -> Vec<Vec<u32>> {
        let mut members: Vec<(u32, u32)> = self.firsts.iter().copied().zip(0..).collect();
        members.sort_unstable();
        let sets = members.chunk_by(|a, b| a.0 == b.0).filter(|set| set.len() > 1);
        sets.map(|set| set.iter().map(|&(_, page)| page).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_pages() {
        let mut union = Union::new(6);
        for (a, b) in [(5, 3), (1, 4), (3, 4), (0, 0)] {
            union.join(a, b);
        }
        let sets = union.sets();
        assert_eq!(sets.groups(), [vec![1, 3, 4, 5]]);
        assert_eq!((sets.joined(), sets.sizes()), (3, vec![1, 4, 1, 0, 0, 0]));
    }

    #[test]
    fn long_rows_in_any_order() {
        let mut union = Union::new(1_000_000);
        (0..999_999).rev().for_each(|page| union.join(page, page + 1));
        assert_eq!(union.sets().joined(), 999_999);
    }
}
