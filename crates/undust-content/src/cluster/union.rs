//! Union-find.

/// Disjoint sets of pages. The root of a set is its smallest page, so that the result does not depend on the order of joins.
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

    pub(super) fn root_of(&self, mut page: u32) -> u32 {
        while self.parents[page as usize] != page {
            page = self.parents[page as usize];
        }
        page
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// How many pages there are in the set of each root; 0 for what is no root.
    pub(super) fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.parents.len()];
        for page in 0..self.parents.len() as u32 {
            sizes[self.root_of(page) as usize] += 1;
        }
        sizes
    }

    /// How many pages are not the first of their set.
    pub(super) fn joined(&self) -> u64 {
        self.parents.iter().zip(0..).filter(|&(&parent, page)| parent != page).count() as u64
    }

    /// The sets of more than one page, in the order of their first pages.
    pub(super) fn sets(&self) -> Vec<Vec<u32>> {
        let mut members: Vec<(u32, u32)> =
            (0..self.parents.len() as u32).map(|page| (self.root_of(page), page)).collect();
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
        assert_eq!(union.sets(), [vec![1, 3, 4, 5]]);
        assert_eq!((union.joined(), union.sizes()), (3, vec![1, 4, 1, 0, 0, 0]));
    }
}
