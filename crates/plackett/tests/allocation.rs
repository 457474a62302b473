//! After the first step, training allocates nothing.

#![allow(unsafe_code, reason = "a global allocator cannot be written without it")]

mod common;

use common::Puzzle;
use plackett::{
    Categorical, Enumerable, Latent, Noise, Objective, Order, PlackettLuce, Surrogate, Toy, Training,
    TrainingSettings,
    critic::{Network, RelaxedObjective, Sum},
    estimator::{
        Baseline, Estimator, Exact, Reinforce, Relax, Reparametrized, RewardToGo, SurrogateGradient,
    },
    relaxation::{NeuralSort, Relaxation, Softmax},
    run::{Limits, Run},
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    /// Allocations of this thread, so that tests that run side by side do not count each other's.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes on to the system's allocator unchanged; counting neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

fn check<E: Estimator>(
    latent: &E::Latent,
    estimator: E,
    objective: &mut impl Objective,
    samples: usize,
    what: &str,
) {
    let settings = TrainingSettings { samples, mode_probability: Some(1.0), ..TrainingSettings::default() };
    let mut training = Training::new(latent.clone(), estimator, settings).unwrap();
    training.step(objective).unwrap();
    let in_steps = allocations(|| (0..200).for_each(|_| training.step(objective).unwrap()));
    assert_eq!(in_steps, 0, "{what}: 200 steps");
    let run = Run::new(Limits::steps(50));
    let in_run = allocations(|| {
        training.run(objective, &run).unwrap();
    });
    assert_eq!(in_run, 0, "{what}: a run that looks for convergence");
}

fn check_all<L: Latent + Enumerable>(
    latent: &L,
    mut puzzle: Puzzle,
    relaxation: &impl Relaxation,
    what: &str,
) {
    let (items, mut noise) = (latent.items(), Noise::new(0));
    for baseline in [Baseline::None, Baseline::MovingAverage { decay: 0.9 }, Baseline::LeaveOneOut] {
        let reinforce = Reinforce::new(latent, baseline).unwrap();
        check(latent, reinforce, &mut puzzle, 3, &format!("{what}, REINFORCE {baseline:?}"));
    }
    check(latent, RewardToGo::new(latent), &mut puzzle, 3, &format!("{what}, reward-to-go"));
    let scaled = RelaxedObjective::scaled(puzzle.clone(), relaxation.clone());
    let relaxed = RelaxedObjective::unscaled(puzzle.clone(), relaxation.clone());
    let sum = Sum::new(relaxed.clone(), Network::new(items, 16)).unwrap();
    for samples in [1, 3] {
        let rebar = Relax::new(latent, scaled.clone(), &mut noise).unwrap();
        check(latent, rebar, &mut puzzle, samples, &format!("{what}, REBAR"));
        let relax = Relax::new(latent, sum.clone(), &mut noise).unwrap();
        check(latent, relax, &mut puzzle, samples, &format!("{what}, RELAX"));
        let black_box = Relax::new(latent, Network::new(items, 16), &mut noise).unwrap();
        check(latent, black_box, &mut puzzle, samples, &format!("{what}, black-box RELAX"));
        let reparametrized = Reparametrized::new(latent, relaxed.clone(), vec![0.0]).unwrap();
        check(latent, reparametrized, &mut puzzle, samples, &format!("{what}, relaxed"));
    }
    let exact = Exact::new(latent, &mut puzzle).unwrap();
    check(latent, exact, &mut puzzle, 1, &format!("{what}, EXACT"));
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1, 2, 3]))), 1);
}

#[test]
fn no_step_over_orders_allocates() {
    for items in [2, 5, 6] {
        let latent = PlackettLuce::new(&vec![0.0; items]).unwrap();
        check_all(&latent, Puzzle::new(items, items), &NeuralSort::new(items), "orders");
    }
}

/// Sorting takes another path beyond a few dozen items.
#[test]
fn no_step_over_many_items_allocates() {
    let items = 100;
    let latent = PlackettLuce::new(&vec![0.0; items]).unwrap();
    let mut puzzle = Puzzle::new(items, items);
    let critic = RelaxedObjective::scaled(puzzle.clone(), NeuralSort::new(items));
    let rebar = Relax::new(&latent, critic, &mut Noise::new(0)).unwrap();
    check(&latent, rebar, &mut puzzle, 1, "REBAR over 100 items");
}

/// Not when it fits itself anew either, which these steps do many times.
#[test]
fn no_step_with_a_surrogate_allocates() {
    for (items, samples) in [(1, 1), (2, 3), (6, 1), (6, 3), (12, 4)] {
        let latent = PlackettLuce::new(&vec![0.0; items]).unwrap();
        let surrogate = SurrogateGradient::new(&latent, Surrogate::new(items).unwrap()).unwrap();
        check(&latent, surrogate, &mut Puzzle::new(items, items), samples, "surrogate");
    }
    let latent = PlackettLuce::new(&[0.0; 40]).unwrap();
    let mut toy = Toy::permutation(40, 0.05).unwrap();
    let exact = Exact::new(&latent, &mut toy).unwrap();
    check(&latent, exact, &mut toy, 1, "EXACT over 40 items");
}

#[test]
fn no_step_over_categories_allocates() {
    for items in [2, 8, 100] {
        let latent = Categorical::new(&vec![0.0; items]).unwrap();
        check_all(&latent, Puzzle::new(1, items), &Softmax::new(items), "categories");
    }
}

#[test]
fn sampling_into_a_buffer_does_not_allocate() {
    let latent = PlackettLuce::new(&[0.5; 300]).unwrap();
    let (mut order, mut scratch, mut noise) = (Order::identity(300), Vec::new(), Noise::new(0));
    latent.sample_into(noise.stream(0), &mut order, &mut scratch);
    let found = allocations(|| {
        (1..100).for_each(|stream| latent.sample_into(noise.stream(stream), &mut order, &mut scratch));
    });
    assert_eq!(found, 0);
}
