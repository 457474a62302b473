//! Knowledge for given columns: names become numbers, statements become pairs of columns, and contradictions are found, each with the
//! statements that it comes from.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::nearest::{matches, nearest};
use super::{Knowledge, Tier};
use crate::text::shown;
use crate::{Bounds, Error, Result};

/// A statement with what it says of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    text: String,
    forbidden: Vec<(usize, usize)>,
    required: Vec<(usize, usize)>,
    joined: Vec<(usize, usize)>,
}

impl Statement {
    /// Whether it forbids an edge.
    ///
    /// ```
    /// use plackett_dag::knowledge::Knowledge;
    /// let known = Knowledge { terminal: vec!["a".into()], ..Knowledge::default() };
    /// let known = known.resolve(&["a".to_owned(), "b".to_owned()])?;
    /// assert!(known.statements()[0].forbids(0, 1) && !known.statements()[0].forbids(1, 0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn forbids(&self, from: usize, to: usize) -> bool {
        self.forbidden.contains(&(from, to))
    }

    /// The edges that it forbids, those that it requires, and the pairs that it joins.
    pub(crate) fn pairs(&self) -> [&[(usize, usize)]; 3] {
        [&self.forbidden, &self.required, &self.joined]
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Knowledge about columns, free of contradictions. Cheap to clone.
///
/// ```
/// use plackett_dag::knowledge::Knowledge;
/// let known = Knowledge { exogenous: vec!["a".into()], ..Knowledge::default() };
/// let known = known.resolve(&["a".to_owned(), "b".to_owned()])?;
/// assert_eq!(known.statements()[0].to_string(), "a is exogenous");
/// assert!(known.bounds().permits(0, 1) && !known.bounds().permits(1, 0));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    statements: Arc<Vec<Statement>>,
    bounds: Bounds,
}

impl Resolved {
    /// The statements, as they were given.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// What they say together.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// What they say without one of them.
    pub(crate) fn without(&self, left_out: usize) -> Result<Bounds> {
        let others = self.statements.iter().enumerate().filter(|&(at, _)| at != left_out);
        bounds_of(self.bounds.nodes(), others.map(|(_, statement)| statement))
    }
}

fn bounds_of<'a>(nodes: usize, statements: impl Iterator<Item = &'a Statement>) -> Result<Bounds> {
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    for statement in statements {
        all.iter_mut().zip(statement.pairs()).for_each(|(all, pairs)| all.extend_from_slice(pairs));
    }
    Bounds::new(nodes, &all[0], &all[1], &all[2])
}

impl Knowledge {
    /// What is known of columns of these names.
    ///
    /// # Errors
    /// [`Error::Knowledge`] with all that is wrong: names that no column has, each with the nearest that there is; statements that
    /// contradict each other; and required edges that go round in a circle.
    ///
    /// ```
    /// use plackett_dag::knowledge::Knowledge;
    /// let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    /// let known = Knowledge {
    ///     required: vec![pair("a", "b"), pair("b", "c"), pair("c", "a")],
    ///     ..Knowledge::default()
    /// };
    /// let refused = known.resolve(&["a", "b", "c"].map(str::to_owned)).unwrap_err().to_string();
    /// assert!(refused.contains("a -> b -> c -> a"), "{refused}");
    /// ```
    pub fn resolve(&self, names: &[String]) -> Result<Resolved> {
        let mut resolver = Resolver { names, statements: Vec::new(), problems: Vec::new() };
        resolver.take(self);
        resolver.find_clashes();
        let Resolver { statements, problems, .. } = resolver;
        if !problems.is_empty() {
            return Err(Error::Knowledge { problems });
        }
        let bounds = bounds_of(names.len(), statements.iter())?;
        Ok(Resolved { statements: Arc::new(statements), bounds })
    }
}

struct Resolver<'a> {
    names: &'a [String],
    statements: Vec<Statement>,
    problems: Vec<String>,
}

/// What a statement does to the pairs that it speaks of.
#[derive(Clone, Copy)]
enum Kind {
    Required,
    Forbidden,
    Adjacent,
    Apart,
}

impl Resolver<'_> {
    fn take(&mut self, knowledge: &Knowledge) {
        for (pairs, kind) in [
            (&knowledge.required, Kind::Required),
            (&knowledge.forbidden, Kind::Forbidden),
            (&knowledge.adjacent, Kind::Adjacent),
            (&knowledge.apart, Kind::Apart),
        ] {
            for (a, b) in pairs {
                self.take_pair(a, b, kind);
            }
        }
        self.take_tiers(&knowledge.tiers);
        for name in &knowledge.exogenous {
            let columns = self.columns(name);
            let others = |&to: &usize| (0..self.names.len()).map(move |from| (from, to));
            self.forbid(format!("{} is exogenous", shown(name)), columns.iter().flat_map(others).collect());
        }
        for name in &knowledge.terminal {
            let columns = self.columns(name);
            let others = |&from: &usize| (0..self.names.len()).map(move |to| (from, to));
            self.forbid(format!("{} is terminal", shown(name)), columns.iter().flat_map(others).collect());
        }
    }

    /// The columns that a name or a pattern stands for.
    fn columns(&mut self, written: &str) -> Vec<usize> {
        if let Some(at) = self.names.iter().position(|name| name == written) {
            return vec![at];
        }
        let is_pattern = written.contains('*');
        let found: Vec<usize> =
            (0..self.names.len()).filter(|&at| is_pattern && matches(written, &self.names[at])).collect();
        if found.is_empty() {
            let hint = match nearest(written, self.names) {
                Some(name) => format!("; the nearest is \"{}\"", shown(name)),
                None => String::new(),
            };
            let problem = if is_pattern {
                format!("no column matches \"{}\"", shown(written))
            } else {
                format!("there is no column \"{}\"{hint}", shown(written))
            };
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
        found
    }

    fn take_pair(&mut self, a: &str, b: &str, kind: Kind) {
        let (from, to) = (self.columns(a), self.columns(b));
        let all = from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to)));
        let pairs: Vec<(usize, usize)> = all.filter(|(from, to)| from != to).collect();
        let (a, b) = (shown(a), shown(b));
        if pairs.is_empty() && !from.is_empty() && !to.is_empty() {
            self.problems
                .push(format!("{a} and {b} are one column, and no edge leads from a column to itself"));
        }
        let turned = pairs.iter().map(|&(from, to)| (to, from));
        let none = Vec::new();
        self.statements.push(match kind {
            Kind::Required => {
                let text = format!("{a} -> {b} is required");
                Statement { text, forbidden: none.clone(), required: pairs, joined: none }
            }
            Kind::Forbidden => {
                let text = format!("{a} -> {b} is forbidden");
                Statement { text, forbidden: pairs, required: none.clone(), joined: none }
            }
            Kind::Adjacent => {
                let text = format!("{a} and {b} are adjacent");
                Statement { text, forbidden: none.clone(), required: none, joined: pairs }
            }
            Kind::Apart => {
                let text = format!("{a} and {b} are apart");
                let forbidden = pairs.iter().copied().chain(turned).collect();
                Statement { text, forbidden, required: none.clone(), joined: none }
            }
        });
    }

    fn forbid(&mut self, text: String, pairs: Vec<(usize, usize)>) {
        let forbidden = pairs.into_iter().filter(|(from, to)| from != to).collect();
        self.statements.push(Statement { text, forbidden, required: Vec::new(), joined: Vec::new() });
    }

    /// Each tier but the first says that nothing in it causes what is in earlier ones.
    fn take_tiers(&mut self, tiers: &[Tier]) {
        let mut tier_of: BTreeMap<usize, usize> = BTreeMap::new();
        for (number, tier) in tiers.iter().enumerate() {
            let mut members = Vec::new();
            for name in &tier.columns {
                for column in self.columns(name) {
                    match tier_of.insert(column, number) {
                        Some(other) if other != number => {
                            let name = shown(&self.names[column]);
                            self.problems.push(format!(
                                "column \"{name}\" is in tier {} and in tier {}",
                                other + 1,
                                number + 1
                            ));
                        }
                        Some(_) => {}
                        None => members.push(column),
                    }
                }
            }
            let listed: Vec<String> = tier.columns.iter().map(|name| shown(name)).collect();
            let text = format!("tier {} ({})", number + 1, listed.join(", "));
            let earlier = tier_of.iter().filter(|&(_, &other)| other < number).map(|(&column, _)| column);
            let earlier: Vec<usize> = earlier.collect();
            let back = members.iter().flat_map(|&from| earlier.iter().map(move |&to| (from, to)));
            let back: Vec<(usize, usize)> = back.collect();
            if !back.is_empty() {
                self.forbid(format!("{text} causes nothing in earlier ones"), back);
            }
            if !tier.within {
                let within = members.iter().flat_map(|&from| members.iter().map(move |&to| (from, to)));
                let within = within.collect();
                self.forbid(format!("{text} has no edges within"), within);
            }
        }
    }

    /// Edges that must and must not be there, pairs that must be joined and cannot be, and circles.
    fn find_clashes(&mut self) {
        let mut forbidden: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        // With the statements that ask for each edge.
        let mut required: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (at, statement) in self.statements.iter().enumerate() {
            statement.forbidden.iter().for_each(|&pair| _ = forbidden.entry(pair).or_insert(at));
            statement.required.iter().for_each(|&pair| _ = required.entry(pair).or_insert(vec![at]));
        }
        let mut problems: Vec<String> = Vec::new();
        let mut note = |problem: String| {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        };
        let text = |at: usize| format!("\"{}\"", self.statements[at].text);
        for (at, statement) in self.statements.iter().enumerate() {
            for &(a, b) in &statement.joined {
                match (forbidden.get(&(a, b)), forbidden.get(&(b, a))) {
                    (Some(&one), Some(&other)) if one == other => {
                        note(format!("{} contradicts {}", text(at), text(one)));
                    }
                    (Some(&one), Some(&other)) => {
                        note(format!("{} contradicts {} with {}", text(at), text(one), text(other)));
                    }
                    (None, Some(&one)) => _ = required.entry((a, b)).or_insert(vec![at, one]),
                    (Some(&one), None) => _ = required.entry((b, a)).or_insert(vec![at, one]),
                    (None, None) => {}
                }
            }
        }
        for (pair, asking) in &required {
            if let (Some(&one), &[other]) = (forbidden.get(pair), &asking[..]) {
                note(format!("{} contradicts {}", text(other), text(one)));
            }
        }
        for circle in circles(self.names.len(), required.keys().copied()) {
            let names: Vec<String> =
                circle.iter().chain(&circle[..1]).map(|&node| shown(&self.names[node])).collect();
            let mut asking: Vec<usize> = (0..circle.len())
                .flat_map(|at| required[&(circle[at], circle[(at + 1) % circle.len()])].clone())
                .collect();
            asking.sort_unstable();
            asking.dedup();
            let asking: Vec<String> = asking.into_iter().map(text).collect();
            note(format!(
                "required edges go round in a circle, {}: {}",
                names.join(" -> "),
                asking.join(", ")
            ));
        }
        self.problems.extend(problems);
    }
}

/// A circle of each group of nodes that edges lead round in, each beginning with its smallest node.
fn circles(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); nodes];
    edges.for_each(|(from, to)| children[from].push(to));
    let mut found: Vec<Vec<usize>> = Vec::new();
    for start in 0..nodes {
        if found.iter().flatten().any(|&node| node == start) {
            continue;
        }
        // The shortest way from the node back to itself.
        let mut came_from = vec![None; nodes];
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            if came_from[start].is_some() {
                break;
            }
            for &child in &children[node] {
                if came_from[child].is_none() {
                    came_from[child] = Some(node);
                    queue.push_back(child);
                }
            }
        }
        if let Some(last) = came_from[start] {
            let mut circle = vec![last];
            while circle[circle.len() - 1] != start {
                let Some(before) = came_from[circle[circle.len() - 1]] else { break };
                circle.push(before);
            }
            circle.reverse();
            found.push(circle);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn pairs(text: &str) -> Vec<(String, String)> {
        let pair = |pair: &str| pair.split_once('>').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        text.split(' ').map(pair).collect()
    }

    fn problems(knowledge: &Knowledge, columns: &str) -> Vec<String> {
        match knowledge.resolve(&names(columns)) {
            Err(Error::Knowledge { problems }) => problems,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_problem_is_told_at_once() {
        let known = Knowledge {
            required: pairs("a>b b>c c>a c>d"),
            forbidden: pairs("c>d colr>a"),
            adjacent: pairs("e>f"),
            tiers: vec![Tier::of(&["f"]), Tier { columns: names("e f"), within: false }],
            exogenous: vec!["x*".into()],
            apart: pairs("e>f a>a"),
            ..Knowledge::default()
        };
        let found = problems(&known, "a b c d e f color");
        for part in [
            "there is no column \"colr\"; the nearest is \"color\"",
            "no column matches \"x*\"",
            "column \"f\" is in tier 1 and in tier 2",
            "\"c -> d is required\" contradicts \"c -> d is forbidden\"",
            "\"e and f are adjacent\" contradicts \"e and f are apart\"",
            "a and a are one column",
            "a -> b -> c -> a: \"a -> b is required\", \"b -> c is required\", \"c -> a is required\"",
        ] {
            assert!(found.iter().any(|problem| problem.contains(part)), "{part} not in {found:#?}");
        }
        assert_eq!(found.len(), 7, "{found:#?}");
    }

    #[test]
    fn adjacencies_that_can_go_one_way_only_are_required_edges() {
        let known = Knowledge {
            adjacent: pairs("a>b"),
            required: pairs("a>c c>b"),
            tiers: vec![Tier::of(&["b"]), Tier::of(&["a"])],
            ..Knowledge::default()
        };
        let found = problems(&known, "a b c");
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].contains("a -> c -> b -> a"), "{found:#?}");
        assert!(found[0].contains("a and b are adjacent") && found[0].contains("tier 2 (a)"), "{found:#?}");
    }

    #[test]
    fn statements_become_bounds() {
        let known = Knowledge {
            required: pairs("a>b"),
            forbidden: pairs("x*>a"),
            tiers: vec![Tier { columns: names("x1 x2"), within: false }, Tier::of(&["c"])],
            terminal: vec!["b".into()],
            apart: pairs("a>c"),
            ..Knowledge::default()
        };
        let known = known.resolve(&names("a b c x1 x2")).unwrap();
        let bounds = known.bounds();
        assert!(bounds.requires(0, 1) && !bounds.permits(1, 0) && !bounds.permits(1, 2));
        assert!(!bounds.permits(3, 0) && bounds.permits(0, 3), "patterns");
        assert!(!bounds.permits(3, 4) && !bounds.permits(4, 3), "nothing within the tier");
        assert!(bounds.permits(3, 2) && !bounds.permits(2, 3), "tiers");
        assert!(!bounds.permits(0, 2) && !bounds.permits(2, 0), "apart");
        assert!(known.without(0).unwrap().permits(0, 1) && !known.without(0).unwrap().requires(0, 1));
        let texts: Vec<String> = known.statements().iter().map(ToString::to_string).collect();
        assert_eq!(texts[2], "a and c are apart");
        assert!(texts.contains(&"tier 2 (c) causes nothing in earlier ones".to_owned()), "{texts:?}");
    }

    /// What is not refused has a graph, and what has a graph is not refused.
    #[test]
    fn contradictions_are_found_exactly_where_no_graph_is_left() {
        let (dags, mut rng) = (crate::testing::all_dags(4), crate::testing::Rng::new(9));
        let columns = names("a b c d");
        let mut refused = 0;
        for _ in 0..400 {
            let mut some = |share: f64| -> Vec<(String, String)> {
                let all = (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).filter(|(a, b)| a != b);
                let chosen: Vec<_> = all.filter(|_| rng.uniform() < share).collect();
                chosen.into_iter().map(|(a, b)| (columns[a].clone(), columns[b].clone())).collect()
            };
            let known = Knowledge {
                required: some(0.1),
                forbidden: some(0.3),
                adjacent: some(0.1),
                apart: some(0.05),
                ..Knowledge::default()
            };
            let at = |name: &str| columns.iter().position(|other| other == name).unwrap();
            let keeps = |dag: &&crate::Dag| {
                let edge = |(a, b): &(String, String)| dag.has_edge(at(a), at(b));
                let joined =
                    |(a, b): &(String, String)| dag.has_edge(at(a), at(b)) || dag.has_edge(at(b), at(a));
                known.required.iter().all(edge)
                    && !known.forbidden.iter().any(edge)
                    && known.adjacent.iter().all(joined)
                    && !known.apart.iter().any(joined)
            };
            let kept: Vec<&crate::Dag> = dags.iter().filter(keeps).collect();
            match known.resolve(&columns) {
                Ok(resolved) => {
                    assert!(!kept.is_empty(), "{known:?}");
                    let held = dags.iter().filter(|dag| resolved.bounds().hold(dag)).count();
                    assert_eq!(held, kept.len(), "{known:?}");
                }
                Err(Error::Knowledge { problems }) => {
                    assert!(kept.is_empty() && !problems.is_empty(), "{known:?} {problems:?}");
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert!(refused > 50 && refused < 350, "{refused}");
    }
}
