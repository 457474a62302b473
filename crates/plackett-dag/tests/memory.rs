//! What is promised of memory holds: whoever asks for more than was allowed is ended by the allocator, which counts. Bytes, not time.

mod common;

use std::{
    alloc::System,
    io::{Cursor, Read},
    sync::Arc,
};

use cap::Cap;
use plackett::run::Run;
use plackett_dag::{
    BayesNet, Dataset, Error, Gram, LearnMethod, Learning, Observations,
    dataset::{Kind, Reading},
    gram::{Centering, GramBuilder},
    learning::SearchSettings,
    score::{Bic, ScoreSettings},
    search::Exact,
};

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// What a call takes whatever its data: buffers of files, stacks of threads, lists as long as there are columns.
const FIXED: usize = 3 << 20;

/// Does something within so many bytes, or is ended.
fn within<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    MEMORY.set_limit(MEMORY.allocated() + bytes + FIXED).unwrap();
    let done = work();
    MEMORY.set_limit(usize::MAX).unwrap();
    done
}

/// A table that is nowhere as a whole.
struct Rows {
    left: usize,
    line: Cursor<Vec<u8>>,
    make: fn(usize) -> String,
}

impl Read for Rows {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.line.read(buffer)?;
        if read > 0 || self.left == 0 {
            return Ok(read);
        }
        self.left -= 1;
        self.line = Cursor::new((self.make)(self.left).into_bytes());
        self.read(buffer)
    }
}

/// One test, as there is one allocator.
#[test]
fn nothing_takes_more_than_it_was_allowed() {
    let learn = |gram: &Observations, method: &str, memory_bytes: usize, posterior: bool| {
        let search = SearchSettings {
            memory_bytes,
            posterior,
            steps: posterior.then_some(300),
            ..SearchSettings::default()
        };
        let method = LearnMethod::by_name(method).unwrap();
        Learning {
            method,
            score: if posterior { "bge" } else { "bic" }.into(),
            search,
            ..Learning::default()
        }
        .run(gram, &Run::default())
    };
    let moments = |nodes: usize| {
        let rows = common::sem(nodes, 2.0, 400, 1).data;
        Arc::new(Gram::from_rows(&rows, nodes, Centering::Center).unwrap())
    };
    // Threads and their stacks are there for all that follows.
    learn(&Observations::Numbers(moments(8)), "insertion", 1 << 20, false).unwrap();

    // What cannot be there is refused before any of it is.
    within(0, || {
        let refused = GramBuilder::new(300_000).map(drop).unwrap_err();
        assert!(refused.to_string().contains("the table of second moments needs"), "{refused}");
        let refused = plackett::Constraints::new(usize::MAX / 2, &[], &[]).unwrap_err();
        assert!(matches!(refused, plackett::Error::Memory { .. }), "{refused}");
    });

    // Rows: half a million of six numbers are 23 MiB, of which two may be kept.
    let numbers = |left| Rows {
        left,
        line: Cursor::new(b"a,b,c,d,e,f\n".to_vec()),
        make: |row| {
            let values: Vec<String> = (1..7)
                .map(|column| format!("{:.4}", (row * column % 1013) as f64 / 7.0 + column as f64))
                .collect();
            values.join(",") + "\n"
        },
    };
    let reading = Reading { most_bytes: Some(2 << 20), kind: Some(Kind::Numbers), ..Reading::default() };
    let data = within(2 << 20, || {
        let data = Dataset::from_reader(numbers(500_000), "endless.csv", &reading).unwrap();
        assert_eq!(data.rows(), 500_000);
        data.observations(Centering::Center).unwrap()
    });
    drop(data);

    // The exact search says what it needs, takes no more, and refuses less.
    let gram = moments(17);
    let needed = usize::try_from(Exact::bytes_needed(17)).unwrap();
    let score = || Arc::new(Bic::new(Arc::clone(&gram), &ScoreSettings::default()).unwrap());
    within(needed, || Exact { memory_bytes: needed }.run(score(), &Run::default()).unwrap().unwrap());
    within(0, || {
        let refused = Exact { memory_bytes: needed / 2 }.run(score(), &Run::default()).unwrap_err();
        assert!(matches!(refused, Error::Memory { .. }), "{refused}");
    });

    // The search over orders, with its memory of local scores.
    let gram = Observations::Numbers(moments(30));
    for method in ["insertion", "pl"] {
        within(4 << 20, || learn(&gram, method, 4 << 20, false).unwrap());
    }
    // The sums over parent sets that probabilities of edges are made of.
    within(8 << 20, || learn(&gram, "insertion", 8 << 20, true).unwrap());

    // The parent sets of categories.
    let net = BayesNet::embedded("child").unwrap();
    let rows = net.sample(1000, 3, BayesNet::TRAINING).unwrap();
    let categories = Observations::Categories(rows.into());
    let search = |memory_bytes| SearchSettings { memory_bytes, ..SearchSettings::default() };
    let learning = |memory_bytes| Learning { search: search(memory_bytes), ..Learning::default() };
    within(8 << 20, || learning(8 << 20).run(&categories, &Run::default()).unwrap());
}
