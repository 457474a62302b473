//! The conditioning sets to try.

/// The subsets of some nodes that have a given size, in dictionary order.
pub(super) struct Subsets<'a> {
    nodes: &'a [usize],
    places: Vec<usize>,
    members: Vec<usize>,
    is_begun: bool,
}

impl<'a> Subsets<'a> {
    pub(super) fn new(nodes: &'a [usize], size: usize) -> Self {
        Self { nodes, places: (0..size).collect(), members: Vec::with_capacity(size), is_begun: false }
    }

    pub(super) fn next(&mut self) -> Option<&[usize]> {
        let (size, count) = (self.places.len(), self.nodes.len());
        if size > count {
            return None;
        }
        if self.is_begun {
            let last = (0..size).rev().find(|&at| self.places[at] < count - size + at)?;
            self.places[last] += 1;
            for at in last + 1..size {
                self.places[at] = self.places[at - 1] + 1;
            }
        }
        self.is_begun = true;
        self.members.clear();
        self.members.extend(self.places.iter().map(|&place| self.nodes[place]));
        Some(&self.members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subset_once_in_order() {
        let nodes = [2, 3, 5, 7, 11, 13];
        for size in 0..8 {
            let mut expected: Vec<Vec<usize>> = (0..64_u32)
                .filter(|code| code.count_ones() as usize == size)
                .map(|code| {
                    nodes.iter().enumerate().filter(|(at, _)| code >> at & 1 == 1).map(|(_, &n)| n).collect()
                })
                .collect();
            expected.sort();
            let mut subsets = Subsets::new(&nodes, size);
            let mut found = Vec::new();
            while let Some(subset) = subsets.next() {
                found.push(subset.to_vec());
            }
            assert_eq!(found, expected);
        }
    }
}
