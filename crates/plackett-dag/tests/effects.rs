//! Fitted models and effects: against the models that data were drawn from, against what can be said by hand, and with bad input.

use plackett::run::Run;
use plackett_dag::{
    BayesNet, Bootstrap, Cpdag, Dag, Dataset, Error, Fitting, Learning, Model, NamedDag, Observations,
    Sample, Sem,
    dataset::{Reading, SourceColumn, SourceValues},
    effect::{EffectQuery, JointQuery},
    format::Claim,
    model::{Distribution, Prediction},
    network::Inference,
    simulate::{Noise, SemSettings, simulate_sem},
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution as _, StandardNormal};

/// Data sets that intervals are counted over, and their level.
const SETS: u64 = 200;
const LEVEL: f64 = 0.9;

/// How many of the intervals may cover the truth: 180 are expected, with a standard deviation of 4.2.
const COVERING: std::ops::RangeInclusive<usize> = 168..=192;

fn numbers(name: &str, values: Vec<f64>) -> SourceColumn {
    SourceColumn { name: name.to_owned(), values: SourceValues::Numbers(values) }
}

fn categories(name: &str, labels: &[&str], codes: Vec<u32>) -> SourceColumn {
    let labels = labels.iter().map(ToString::to_string).collect();
    SourceColumn {
        name: name.to_owned(),
        values: SourceValues::Categories { labels, codes, is_ordered: false },
    }
}

fn sample(columns: Vec<SourceColumn>) -> Sample {
    Dataset::from_columns(columns, "data", &Reading::default()).unwrap().sample().unwrap()
}

fn graph(names: &[&str], edges: &[(usize, usize)]) -> NamedDag {
    let names = names.iter().map(ToString::to_string).collect();
    NamedDag::from_edges(names, edges.iter().map(|&(from, to)| (from, to, 1.0))).unwrap()
}

fn query(cause: &str, outcome: &str) -> EffectQuery {
    EffectQuery { level: LEVEL, ..EffectQuery::new(cause, outcome) }
}

fn ask(query: &EffectQuery, graph: &NamedDag, sample: &Sample) -> plackett_dag::effect::Effect {
    query.answer(graph.names(), &Claim::certain(graph.clone()).class, sample).unwrap()
}

fn of_network(network: &BayesNet, rows: usize, seed: u64) -> Sample {
    let labels = (0..network.dag().nodes()).map(|node| network.states(node).to_vec()).collect();
    let data = network.sample(rows, seed, BayesNet::TRAINING).unwrap();
    Sample::new(network.names().to_vec(), labels, Observations::Categories(data.into())).unwrap()
}

/// The sum over directed paths of the products of weights.
fn total_effect(dag: &Dag, cause: usize, outcome: usize) -> f64 {
    let mut total = vec![0.0; dag.nodes()];
    total[cause] = 1.0;
    for &node in dag.topological_order().iter().filter(|&&node| node != cause) {
        let terms = dag.parents(node).iter().zip(dag.parent_weights(node));
        total[node] = terms.map(|(&parent, weight)| weight * total[parent]).sum();
    }
    total[outcome]
}

#[test]
fn intervals_of_numbers_cover_the_truth_as_often_as_they_say() {
    let settings = SemSettings {
        nodes: 8,
        degree: 2,
        noise: Noise::Unequal { low: 0.5, high: 2.0 },
        ..SemSettings::default()
    };
    let (mut covering, mut adjusted) = (0, 0);
    for seed in 0..SETS {
        let sem = simulate_sem(&settings, seed).unwrap();
        let dag = sem.dag();
        let pairs: Vec<(usize, usize)> = (0..8)
            .flat_map(|cause| dag.descendants(cause).into_iter().map(move |outcome| (cause, outcome)))
            .collect();
        let (cause, outcome) = pairs[seed as usize * 7 % pairs.len()];
        let table = sem.sample(100, Sem::TRAINING);
        let columns = sem.graph().names().iter().enumerate();
        let columns =
            columns.map(|(at, name)| numbers(name, table.rows().map(|row| row[at]).collect())).collect();
        let names = sem.graph().names();
        let found = ask(&query(&names[cause], &names[outcome]), sem.graph(), &sample(columns));
        let truth = total_effect(dag, cause, outcome);
        covering += usize::from(found.low <= truth && truth <= found.high);
        adjusted += usize::from(!found.adjustment.unwrap().is_empty());
    }
    assert!(COVERING.contains(&covering), "{covering} of {SETS}");
    assert!(adjusted > 50, "{adjusted}");
}

#[test]
fn intervals_of_categories_cover_the_truth_as_often_as_they_say() {
    let asia = BayesNet::embedded("asia").unwrap();
    let after = |state: &str| {
        let set = vec![("bronc".to_owned(), state.to_owned())];
        Inference { set, ..Inference::default() }.marginal(&asia, "dysp").unwrap()[0]
    };
    let truth = after("yes") - after("no");
    let mut covering = 0;
    for seed in 0..SETS {
        let query = EffectQuery {
            change: Some(("no".to_owned(), "yes".to_owned())),
            state: Some("yes".to_owned()),
            ..query("bronc", "dysp")
        };
        let found = ask(&query, asia.graph(), &of_network(&asia, 1000, seed));
        covering += usize::from(found.low <= truth && truth <= found.high);
        assert_eq!(found.adjustment.as_deref(), Some(&["either".to_owned()][..]));
    }
    assert!(COVERING.contains(&covering), "{covering} of {SETS}");
}

/// z → x → y, z → y with z a category: of x on y, of z on y, and of x on whether y is large.
fn mixed(seed: u64, rows: usize) -> (NamedDag, Sample) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = move || -> f64 { StandardNormal.sample(&mut rng) };
    let (mut z, mut x, mut y, mut large) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in 0..rows {
        let level = (row * 7 % 3) as u32;
        let cause = f64::from(level) + normal();
        let outcome = 2.0 * f64::from(level) - 0.5 * cause + normal();
        z.push(level);
        x.push(cause);
        y.push(outcome);
        large.push(u32::from(outcome + normal() > 1.0));
    }
    let columns = vec![
        categories("z", &["a", "b", "c"], z),
        numbers("x", x),
        numbers("y", y),
        categories("large", &["no", "yes"], large),
    ];
    (graph(&["z", "x", "y", "large"], &[(0, 1), (0, 2), (1, 2), (2, 3)]), sample(columns))
}

#[test]
fn intervals_of_mixed_data_cover_the_truth_as_often_as_they_say() {
    let mut covering = [0; 3];
    // By one large set: a probability that is not linear in x has a slope of its own.
    let (known, whole) = mixed(9999, 200_000);
    let slope = ask(&query("x", "large"), &known, &whole).effect.unwrap();
    for seed in 0..SETS {
        let (graph, sample) = mixed(seed, 300);
        let of_number = ask(&query("x", "y"), &graph, &sample);
        assert_eq!(of_number.adjustment.as_deref(), Some(&["z".to_owned()][..]));
        let of_category = ask(&query("z", "y"), &graph, &sample);
        assert_eq!(of_category.change, Some(["a".to_owned(), "c".to_owned()]));
        let of_chance = ask(&query("x", "large"), &graph, &sample);
        // z takes y from 0 to 4 directly, and by −0.5 for each unit of x, of which there are two.
        for (place, (found, truth)) in
            [(of_number, -0.5), (of_category, 3.0), (of_chance, slope)].into_iter().enumerate()
        {
            covering[place] += usize::from(found.low <= truth && truth <= found.high);
        }
    }
    assert!(covering.iter().all(|count| COVERING.contains(count)), "{covering:?} of {SETS}");
}

fn ask_jointly(query: &JointQuery, graph: &NamedDag, sample: &Sample) -> plackett_dag::effect::JointEffect {
    query.answer(graph.names(), &Claim::certain(graph.clone()).class, sample).unwrap()
}

/// The total effect by the paths that none of the others lies on.
fn joint_effect(dag: &Dag, cause: usize, others: &[usize], outcome: usize) -> f64 {
    let edges = dag.edges().filter(|edge| !others.contains(&edge.1));
    total_effect(&Dag::from_edges(dag.nodes(), edges).unwrap(), cause, outcome)
}

#[test]
fn joint_intervals_cover_the_truth_as_often_as_they_say() {
    let settings = SemSettings {
        nodes: 8,
        degree: 2,
        noise: Noise::Unequal { low: 0.5, high: 2.0 },
        ..SemSettings::default()
    };
    // Of numbers the whole and the first part, of mixed data the three.
    let mut covering = [0; 5];
    for seed in 0..SETS {
        let sem = simulate_sem(&settings, seed).unwrap();
        let dag = sem.dag();
        let outcome = *dag.topological_order().last().unwrap();
        let before = dag.ancestors(outcome);
        let causes = match before[..] {
            [first, .., last] => [last, first],
            [only] => [only, (only + usize::from(outcome != (only + 1) % 8)) % 8],
            [] => continue,
        };
        if causes[0] == causes[1] || causes.contains(&outcome) {
            continue;
        }
        let table = sem.sample(100, Sem::TRAINING);
        let columns = sem.graph().names().iter().enumerate();
        let columns =
            columns.map(|(at, name)| numbers(name, table.rows().map(|row| row[at]).collect())).collect();
        let names = sem.graph().names();
        let query = JointQuery {
            level: LEVEL,
            ..JointQuery::new(causes.map(|cause| names[cause].clone()), names[outcome].clone())
        };
        let found = ask_jointly(&query, sem.graph(), &sample(columns));
        let truth = [
            joint_effect(dag, causes[0], &causes[1..], outcome),
            joint_effect(dag, causes[1], &causes[..1], outcome),
        ];
        covering[0] += usize::from(found.low <= truth[0] + truth[1] && truth[0] + truth[1] <= found.high);
        let part = found.values[0].parts[0];
        covering[1] += usize::from(part.low <= truth[0] && truth[0] <= part.high);
        // z takes y from 0 to 4 while x is held, and x by −0.5 for each unit.
        let (graph, sample) = mixed(seed, 300);
        let found =
            ask_jointly(&JointQuery { level: LEVEL, ..JointQuery::new(["z", "x"], "y") }, &graph, &sample);
        let value = &found.values[0];
        let parts = [value.parts[0], value.parts[1], value.whole].into_iter().zip([4.0, -0.5, 3.5]);
        for (place, (part, truth)) in parts.enumerate() {
            covering[2 + place] += usize::from(part.low <= truth && truth <= part.high);
        }
    }
    assert!(covering.iter().all(|count| COVERING.contains(count)), "{covering:?} of {SETS}");
}

#[test]
fn joint_intervals_of_categories_cover_the_truth_as_often_as_they_say() {
    let asia = BayesNet::embedded("asia").unwrap();
    let after = |states: [&str; 2]| {
        let set =
            ["smoke", "bronc"].iter().zip(states).map(|(name, state)| ((*name).to_owned(), state.to_owned()));
        Inference { set: set.collect(), ..Inference::default() }.marginal(&asia, "dysp").unwrap()[0]
    };
    let truth = [
        after(["yes", "no"]) - after(["no", "no"]),
        after(["no", "yes"]) - after(["no", "no"]),
        after(["yes", "yes"]) - after(["no", "no"]),
    ];
    let mut covering = [0; 3];
    let change = |cause: &str| (cause.to_owned(), "no".to_owned(), "yes".to_owned());
    let query = JointQuery {
        changes: vec![change("smoke"), change("bronc")],
        state: Some("yes".to_owned()),
        level: LEVEL,
        ..JointQuery::new(["smoke", "bronc"], "dysp")
    };
    for seed in 0..SETS {
        let found = ask_jointly(&query, asia.graph(), &of_network(&asia, 1000, seed));
        let value = &found.values[0];
        for (place, part) in value.parts.iter().chain([&value.whole]).enumerate() {
            covering[place] += usize::from(part.low <= truth[place] && truth[place] <= part.high);
        }
    }
    assert!(covering.iter().all(|count| COVERING.contains(count)), "{covering:?} of {SETS}");
    // All four combinations, of many rows.
    let found = ask_jointly(&query, asia.graph(), &of_network(&asia, 200_000, 3));
    assert_eq!(found.values[0].levels.len(), 4);
    for level in &found.values[0].levels {
        let truth = after([&level.causes[0], &level.causes[1]]);
        assert!((level.expected[0].value - truth).abs() < 0.01, "{level:?} {truth}");
    }
}

#[test]
fn joint_questions_without_an_answer_are_refused() {
    let (graph, sample) = mixed(1, 50);
    let class = Cpdag::of(graph.dag());
    let refused = |query: JointQuery| query.answer(graph.names(), &class, &sample).unwrap_err().to_string();
    assert!(refused(JointQuery::new(["x", "x"], "y")).contains("\"x\" is named twice"));
    assert!(refused(JointQuery::new(["x", "y"], "y")).contains("same column"));
    assert!(refused(JointQuery::new(Vec::<String>::new(), "y")).contains("no cause"));
    let two = refused(JointQuery::new(["v", "w"], "y"));
    assert!(two.contains("\"v\"") && two.contains("\"w\""), "{two}");
    let change = |cause: &str| vec![(cause.to_owned(), "a".to_owned(), "b".to_owned())];
    assert!(
        refused(JointQuery { changes: change("x"), ..JointQuery::new(["x", "z"], "y") })
            .contains("holds numbers")
    );
    assert!(
        refused(JointQuery { changes: change("y"), ..JointQuery::new(["x", "z"], "y") }).contains("\"y\"")
    );
    // Ten nodes all joined have 10! graphs.
    let parents = (0..11).map(|node| (0..node).collect()).collect();
    let clique = Cpdag::of(&Dag::from_parents(parents).unwrap());
    assert!(
        clique.orientations(&(0..10).collect::<Vec<_>>()).unwrap_err().to_string().contains("10000 ways")
    );
}

#[test]
fn probabilities_after_setting_a_cause_are_those_of_the_network() {
    let asia = BayesNet::embedded("asia").unwrap();
    let found = ask(&query("bronc", "dysp"), asia.graph(), &of_network(&asia, 200_000, 3));
    for level in &found.values[0].levels {
        let set = vec![("bronc".to_owned(), level.cause.clone())];
        let truth = Inference { set, ..Inference::default() }.marginal(&asia, "dysp").unwrap();
        for (expected, truth) in level.expected.iter().zip(truth) {
            assert!((expected.value - truth).abs() < 0.01, "{expected:?} {truth}");
        }
    }
    // Where nothing leads there, setting the cause changes nothing.
    let absent = ask(&query("dysp", "bronc"), asia.graph(), &of_network(&asia, 1000, 3));
    assert_eq!((absent.effect, absent.low, absent.high), (Some(0.0), 0.0, 0.0));
    assert_eq!(absent.values[0].levels[0].expected, absent.values[0].levels[1].expected);
}

#[test]
fn resamples_widen_the_interval_by_the_doubt_of_the_graph() {
    let sem = simulate_sem(&SemSettings { nodes: 5, degree: 2, ..SemSettings::default() }, 4).unwrap();
    let table = sem.sample(150, Sem::TRAINING);
    let columns = sem.graph().names().iter().enumerate();
    let columns =
        columns.map(|(at, name)| numbers(name, table.rows().map(|row| row[at]).collect())).collect();
    let data = Dataset::from_columns(columns, "data", &Reading::default()).unwrap();
    let (sample, rows) = data.resampled_sample().unwrap();
    let learning = Learning { score: "bic".into(), ..Learning::default() };
    let learned = learning.run(rows.observations(), &Run::default()).unwrap();
    let bootstrap = Bootstrap { learning: &learning, rows: &rows, start: None };
    let mut wider = 0;
    for (cause, outcome) in [("x1", "x2"), ("x2", "x3"), ("x1", "x4"), ("x3", "x5"), ("x2", "x5")] {
        let query = query(cause, outcome);
        let plain = query.answer(sample.names(), &learned.claim(), &sample).unwrap();
        let found = query.resampled(plain.clone(), &bootstrap, &sample, 0..40, &Run::default()).unwrap();
        let again = query.resampled(plain.clone(), &bootstrap, &sample, 0..40, &Run::default()).unwrap();
        assert_eq!(found, again);
        let resampling = found.resampling.unwrap();
        assert_eq!((resampling.replicates, found.values), (40, plain.values));
        wider += usize::from(found.high - found.low > plain.high - plain.low);
    }
    assert!(wider >= 2, "{wider}");
}

#[test]
fn rows_in_which_the_way_was_set_tell_nothing() {
    // x → m → y, and in half of the rows m was set to noise: there x does nothing.
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut normal = move || -> f64 { StandardNormal.sample(&mut rng) };
    let (mut x, mut m, mut y, mut set) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in 0..2000_u32 {
        x.push(normal());
        let is_set = row % 2 == 1;
        m.push(if is_set { normal() } else { 2.0 * x[row as usize] + normal() });
        y.push(m[row as usize] + normal());
        set.push(u32::from(is_set));
    }
    let columns = vec![numbers("x", x), numbers("m", m), numbers("y", y), categories("set", &["", "m"], set)];
    let interventions = Some(plackett_dag::dataset::Targets::Named("set".to_owned()));
    let reading = Reading { interventions, ..Reading::default() };
    let sample = Dataset::from_columns(columns, "data", &reading).unwrap().sample().unwrap();
    let graph = graph(&["x", "m", "y"], &[(0, 1), (1, 2)]);
    let found = ask(&query("x", "y"), &graph, &sample);
    assert!((found.effect.unwrap() - 2.0).abs() < 0.1 && found.values[0].rows == 1000.0, "{found:?}");
    // For m on y the rows in which m was set count too.
    assert_eq!(ask(&query("m", "y"), &graph, &sample).values[0].rows, 2000.0);
    let model = Fitting::default().fit(&graph, &sample).unwrap();
    assert_eq!(model.nodes().iter().map(|node| node.rows).collect::<Vec<_>>(), [2000.0, 1000.0, 2000.0]);
}

#[test]
fn questions_without_an_answer_are_refused() {
    let (graph, sample) = mixed(1, 50);
    let class = Cpdag::of(graph.dag());
    let refused = |query: EffectQuery| query.answer(graph.names(), &class, &sample).unwrap_err().to_string();
    assert_eq!(refused(query("x", "x")), "the cause and the outcome are the same column, \"x\"");
    assert!(refused(query("x", "w")).contains("\"w\""));
    assert!(refused(EffectQuery { level: 1.0, ..query("x", "y") }).starts_with("level is 1"));
    let change = |from: &str, to: &str| Some((from.to_owned(), to.to_owned()));
    assert!(refused(EffectQuery { change: change("a", "b"), ..query("x", "y") }).contains("holds numbers"));
    assert!(
        refused(EffectQuery { change: change("a", "d"), ..query("z", "y") })
            .contains("\"d\", which is none of")
    );
    assert!(refused(EffectQuery { state: Some("c".to_owned()), ..query("x", "large") }).contains("\"c\""));
    let more = vec!["q".to_owned(), "x".to_owned()];
    let error = query("x", "q").answer(&more, &Cpdag::of(&Dag::empty(2)), &sample).unwrap_err();
    assert!(matches!(error, Error::NoSuchColumn { names, .. } if names == ["q"]));
    // A category that the rows never have.
    let rare = vec![
        categories("a", &["u", "v", "w"], vec![0, 1, 0, 1, 0, 1]),
        categories("b", &["p", "q"], vec![0, 1, 1, 1, 0, 1]),
    ];
    let rare = Dataset::from_columns(rare, "data", &Reading::default()).unwrap().sample().unwrap();
    let pair = self::graph(&["a", "b"], &[(0, 1)]);
    let never = query("a", "b").answer(pair.names(), &Claim::certain(pair.clone()).class, &rare);
    assert_eq!(never.unwrap_err().to_string(), "\"a\" is never \"w\" in these data");
    let square = Cpdag::from_edges(4, [], [(0, 1), (1, 2), (2, 3), (3, 0)]).unwrap();
    let error = query("x", "y").answer(graph.names(), &square, &sample).unwrap_err();
    assert!(error.to_string().starts_with("the graph stands for no directed acyclic graph"));
}

fn fitted(seed: u64, rows: usize) -> (Model, Sample) {
    let (graph, sample) = mixed(seed, rows);
    (Fitting::default().fit(&graph, &sample).unwrap(), sample)
}

#[test]
fn models_of_mixed_data_have_the_coefficients_of_what_made_them() {
    let (model, _) = fitted(3, 60_000);
    let Distribution::Table(shares) = &model.nodes()[0].distribution else { panic!("no table") };
    assert!(shares.iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-4));
    let Distribution::Linear(y) = &model.nodes()[2].distribution else { panic!("not linear") };
    for (level, regression) in y.iter().enumerate() {
        let errors = (regression.intercept_error.unwrap(), regression.errors[0].unwrap());
        assert!((regression.intercept - 2.0 * level as f64).abs() < 4.0 * errors.0);
        assert!((regression.coefficients[0] + 0.5).abs() < 4.0 * errors.1);
        assert!((regression.variance - 1.0).abs() < 0.05 && !regression.is_pooled);
    }
    // P(large) = Φ(y − 1), whose logistic fit has a slope of about 1.7 and is one half at 1.
    let Distribution::Logistic(large) = &model.nodes()[3].distribution else { panic!("not logistic") };
    let slopes = &large.coefficients[0];
    assert!((1.6..1.9).contains(&slopes[1]) && (slopes[0] / slopes[1] + 1.0).abs() < 0.05, "{slopes:?}");
}

#[test]
fn configurations_with_few_rows_take_the_regression_of_all() {
    let x: Vec<f64> = (0..40).map(|row| f64::from(row * 7 % 11)).collect();
    let y = x.iter().enumerate().map(|(row, x)| 2.0 * x + (row * 3 % 5) as f64).collect();
    let group = (0..40).map(|row| u32::from(row >= 38)).collect();
    let sample = sample(vec![numbers("x", x), numbers("y", y), categories("group", &["a", "b"], group)]);
    let model = Fitting::default().fit(&graph(&["x", "y", "group"], &[(0, 1), (2, 1)]), &sample).unwrap();
    let Distribution::Linear(found) = &model.nodes()[1].distribution else { panic!("not linear") };
    assert_eq!((found[0].is_pooled, found[1].is_pooled, found[1].rows), (false, true, 2.0));
    let alone = Fitting::default().fit(&graph(&["x", "y"], &[(0, 1)]), &sample).unwrap();
    let Distribution::Linear(pooled) = &alone.nodes()[1].distribution else { panic!("not linear") };
    assert_eq!(found[1].coefficients, pooled[0].coefficients);
}

#[test]
fn too_few_rows_and_unknown_columns_are_told() {
    let few = sample(vec![
        numbers("a", vec![1.5, 2.5, 3.0]),
        numbers("b", vec![2.5, 1.5, 0.5]),
        numbers("c", vec![0.5, 2.0, 1.0]),
    ]);
    let fit = |names: &[&str], edges: &[(usize, usize)]| {
        Fitting::default().fit(&graph(names, edges), &few).unwrap_err().to_string()
    };
    assert_eq!(
        fit(&["a", "b", "c"], &[(0, 2), (1, 2)]),
        "column \"c\": 3 rows are too few for 2 coefficients, an intercept and a variance"
    );
    assert!(fit(&["a", "d", "e"], &[]).contains("\"d\", \"e\""));
    let error = Fitting { ess: -1.0 }.fit(&graph(&["a"], &[]), &few).unwrap_err();
    assert!(error.to_string().starts_with("ess is -1"));
}

#[test]
fn models_survive_json_to_the_last_bit_and_damage_is_told() {
    let (model, sample) = fitted(5, 500);
    let text = model.to_json();
    let read = Model::from_json(text.as_bytes(), "model.json").unwrap();
    assert_eq!(read, model);
    assert_eq!(read.to_json(), text);
    assert_eq!(
        read.log_likelihood(&sample).unwrap().to_bits(),
        model.log_likelihood(&sample).unwrap().to_bits()
    );
    let refused = |text: &str| Model::from_json(text.as_bytes(), "model.json").unwrap_err().to_string();
    assert!(refused(&text.replace("plackett-model", "pickle")).contains("format is \"plackett-model\""));
    assert!(refused(&text.replace("\"version\": 1", "\"version\": 7")).contains("of version 7"));
    assert!(refused(&text[..text.len() / 2]).starts_with("model.json: this is no model that can be read"));
    assert!(refused(&text.replacen("\"name\": \"x\"", "\"name\": \"w\"", 1)).contains("which is no node"));
    assert!(refused(&text.replacen("\"a\",", "", 1)).contains("do not fit"));
    assert!(refused("{}").contains("format"));
}

#[test]
fn unseen_categories_and_missing_columns_are_told() {
    let (model, _) = fitted(5, 500);
    let other = vec![
        categories("z", &["a", "q"], vec![0, 1, 0]),
        numbers("x", vec![0.5, 1.5, 0.7]),
        numbers("y", vec![0.5, 1.0, 3.5]),
        categories("large", &["no", "yes"], vec![0, 1, 1]),
    ];
    let error = model.log_likelihood(&sample(other)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "column \"z\" has the category \"q\", which is none of \"a\", \"b\", \"c\""
    );
    let few = sample(vec![numbers("x", vec![0.5, 1.5, 0.7]), numbers("y", vec![0.5, 1.0, 3.5])]);
    assert!(
        matches!(model.log_likelihood(&few), Err(Error::NoSuchColumn { names, .. }) if names == ["z", "large"])
    );
    assert!(matches!(model.predict(&few, "w"), Err(Error::NoSuchColumn { .. })));
}

/// The log-density of a row, from that of all its nodes.
fn log_density(model: &Model, columns: Vec<SourceColumn>) -> f64 {
    model.log_likelihood(&sample(columns)).unwrap()
}

#[test]
fn drawn_rows_follow_the_model() {
    let (model, _) = fitted(7, 20_000);
    let drawn = model.draw(40_000, 3, &[]).unwrap();
    let fewer = model.draw(100, 3, &[]).unwrap();
    assert!(matches!((&fewer[2].values, &drawn[2].values),
        (SourceValues::Numbers(few), SourceValues::Numbers(many)) if few[..] == many[..100]));
    let again = Fitting::default().fit(model.graph(), &sample(drawn)).unwrap();
    for (a, b) in model.nodes().iter().zip(again.nodes()) {
        if let (Distribution::Linear(a), Distribution::Linear(b)) = (&a.distribution, &b.distribution) {
            for (a, b) in a.iter().zip(b) {
                assert!((a.intercept - b.intercept).abs() < 5.0 * b.intercept_error.unwrap());
                assert!((a.variance / b.variance - 1.0).abs() < 0.06);
            }
        }
        if let (Distribution::Logistic(a), Distribution::Logistic(b)) = (&a.distribution, &b.distribution) {
            assert!((a.coefficients[0][1] - b.coefficients[0][1]).abs() < 0.12, "{a:?} {b:?}");
        }
    }
    // After do(x = 2), z is as it was.
    let done = model.draw(30_000, 4, &[("x", "2")]).unwrap();
    let SourceValues::Categories { codes, .. } = &done[0].values else { panic!("numbers") };
    let share = codes.iter().filter(|&&code| code == 0).count() as f64 / 30_000.0;
    assert!((share - 1.0 / 3.0).abs() < 0.02);
    assert!(matches!(model.draw(1, 0, &[("z", "q")]), Err(Error::UnknownCategory { .. })));
}

#[test]
fn predictions_are_those_of_the_joint_density() {
    let (model, _) = fitted(8, 3000);
    let row = |z: u32, x: f64, y: f64, large: u32| {
        // Rows enough that columns are taken for what they are.
        vec![
            categories("z", &["a", "b", "c"], vec![z, 0]),
            numbers("x", vec![x, 0.25]),
            numbers("y", vec![y, 0.75]),
            categories("large", &["no", "yes"], vec![large, 1]),
        ]
    };
    let density = |z: u32, x: f64, y: f64, large: u32| log_density(&model, row(z, x, y, large)).exp();
    let given = sample(row(1, 0.3, 1.2, 0));
    let Prediction::Categories { probabilities, .. } = model.predict(&given, "z").unwrap() else {
        panic!("numbers")
    };
    let shares: Vec<f64> = (0..3).map(|z| density(z, 0.3, 1.2, 0)).collect();
    let sum: f64 = shares.iter().sum();
    for (found, share) in probabilities.iter().zip(&shares) {
        assert!((found - share / sum).abs() < 1e-9, "{found} {}", share / sum);
    }
    // Numbers against sums over a fine grid: x has a linear child, y a logistic one.
    for (column, at) in [("x", 1), ("y", 2)] {
        let Prediction::Numbers { means, deviations } = model.predict(&given, column).unwrap() else {
            panic!("categories")
        };
        let value = |place: f64| if at == 1 { density(1, place, 1.2, 0) } else { density(1, 0.3, place, 0) };
        let grid: Vec<(f64, f64)> =
            (0..400).map(|place| f64::from(place) / 20.0 - 10.0).map(|place| (place, value(place))).collect();
        let total: f64 = grid.iter().map(|cell| cell.1).sum();
        let mean = grid.iter().map(|cell| cell.0 * cell.1).sum::<f64>() / total;
        let square = grid.iter().map(|cell| (cell.0 - mean).powi(2) * cell.1).sum::<f64>() / total;
        assert!((means[0] - mean).abs() < 1e-6, "{column}: {} {mean}", means[0]);
        assert!(
            (deviations[0] - square.sqrt()).abs() < 1e-6,
            "{column}: {} {}",
            deviations[0],
            square.sqrt()
        );
    }
}

#[test]
fn moments_and_rows_give_the_same_model_and_the_same_effects() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let x: Vec<f64> = (0..300).map(|_| rng.random_range(-2.0..3.0)).collect();
    let y: Vec<f64> = x.iter().map(|x| 4.0 + 2.0 * x + rng.random_range(-1.0..1.0)).collect();
    let data =
        Dataset::from_columns(vec![numbers("x", x), numbers("y", y)], "data", &Reading::default()).unwrap();
    let graph = graph(&["x", "y"], &[(0, 1)]);
    let rows = data.clone().sample().unwrap();
    let statistics = plackett_dag::Statistics::of(data).unwrap();
    let moments = statistics.into_dataset("the statistics", &Reading::default()).unwrap().sample().unwrap();
    assert_eq!((rows.rows(), moments.rows()), (300, 0));
    let fit = |sample: &Sample| match &Fitting::default().fit(&graph, sample).unwrap().nodes()[1].distribution
    {
        Distribution::Linear(found) => found[0].clone(),
        _ => panic!("not linear"),
    };
    let (a, b) = (fit(&rows), fit(&moments));
    assert!(
        (a.intercept - b.intercept).abs() < 1e-10 && (a.coefficients[0] - b.coefficients[0]).abs() < 1e-10
    );
    assert!((a.errors[0].unwrap() - b.errors[0].unwrap()).abs() < 1e-10);
    let (c, d) = (ask(&query("x", "y"), &graph, &rows), ask(&query("x", "y"), &graph, &moments));
    assert!((c.low - d.low).abs() < 1e-10 && (c.high - d.high).abs() < 1e-10);
}
