use std::ops::Range;

use lance_loader_packing::{PackMode, PackState, Packer, merge_pack_states};
use proptest::prelude::*;

use crate::best_fit::modes;
use crate::corpus::{Corpus, corpora};
use crate::model::Block;

fn all_modes() -> impl Strategy<Value = PackMode> {
    prop_oneof![Just(PackMode::Concat), modes()]
}

fn ranks(corpus: &Corpus, world: usize) -> impl Iterator<Item = Range<u32>> {
    let each = corpus.splits.len() / world;
    (0..world).map(move |rank| (rank * each) as u32..((rank + 1) * each) as u32)
}

fn worlds(corpus: &Corpus) -> impl Iterator<Item = usize> + use<> {
    let splits = corpus.splits.len();
    (1..=splits).filter(move |world| splits.is_multiple_of(*world))
}

fn state(packer: &Packer<i32>) -> PackState {
    packer.state(&packer.progress()).unwrap()
}

fn through_json(state: &PackState) -> PackState {
    serde_json::from_str(&serde_json::to_string(state).unwrap()).unwrap()
}

/// The blocks of all ranks, cycle by cycle and split by split.
fn cycles(corpus: &Corpus, packers: &mut [Packer<i32>], cycles: usize, ahead: usize) -> Vec<Block> {
    let read = |packer: &mut Packer<i32>| corpus.read(packer, packer.owned().len(), ahead);
    (0..cycles).flat_map(|_| packers.iter_mut().flat_map(read).collect::<Vec<_>>()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_cycle_resumes_on_the_same_and_on_other_ranks(corpus in corpora(all_modes()), ahead in 0_usize..3) {
        let whole = corpus.uninterrupted();
        for (before, after) in worlds(&corpus).flat_map(|before| worlds(&corpus).map(move |after| (before, after))) {
            for stop in 0..=corpus.cycles() {
                let mut first: Vec<_> = ranks(&corpus, before).map(|rank| corpus.packer(rank)).collect();
                let mut blocks = cycles(&corpus, &mut first, stop, ahead);
                let states: Vec<_> = first.iter().map(|packer| through_json(&state(packer))).collect();
                let merged = merge_pack_states(&states).unwrap();
                let mut second: Vec<_> = ranks(&corpus, after).map(|rank| corpus.load(rank, &merged)).collect();
                blocks.extend(cycles(&corpus, &mut second, corpus.cycles() - stop, 0));
                prop_assert_eq!(&blocks, &whole, "{} to {} ranks after {} cycles", before, after, stop);
            }
        }
    }

    #[test]
    fn every_block_resumes_on_the_same_splits(corpus in corpora(all_modes())) {
        let whole = corpus.uninterrupted();
        for stop in 0..=whole.len() {
            let mut first = corpus.packer::<i32>(corpus.all_splits());
            let mut blocks = corpus.read(&mut first, stop, 0);
            let mut second =
                Packer::<i32>::resume(corpus.options, &corpus.documents(), corpus.all_splits(), &state(&first)).unwrap();
            blocks.extend(corpus.read(&mut second, usize::MAX, 0));
            prop_assert_eq!(&blocks, &whole, "after {} blocks", stop);
        }
    }

    #[test]
    fn a_state_does_not_depend_on_what_was_read_ahead(corpus in corpora(all_modes()), ahead in 1_usize..5) {
        let (mut lazy, mut eager) = (corpus.packer::<i32>(corpus.all_splits()), corpus.packer(corpus.all_splits()));
        for _ in 0..corpus.cycles() {
            corpus.read(&mut lazy, corpus.splits.len(), 0);
            corpus.read(&mut eager, corpus.splits.len(), ahead);
            prop_assert_eq!(state(&lazy), state(&eager));
        }
    }

    #[test]
    fn a_state_right_after_loading_is_the_loaded_one(corpus in corpora(all_modes())) {
        for stop in 0..=corpus.cycles() {
            let mut packer = corpus.packer::<i32>(corpus.all_splits());
            corpus.read(&mut packer, stop * corpus.splits.len(), 2);
            let saved = state(&packer);
            prop_assert_eq!(state(&corpus.load(corpus.all_splits(), &saved)), saved);
        }
    }

    #[test]
    fn the_state_of_an_earlier_progress_is_there_until_it_is_released(corpus in corpora(all_modes()), lag in 1_usize..4) {
        let mut packer = corpus.packer::<i32>(corpus.all_splits());
        let mut behind = std::collections::VecDeque::new();
        for _ in 0..corpus.cycles() {
            behind.push_back((packer.progress(), state(&packer)));
            corpus.read(&mut packer, corpus.splits.len(), 1);
            if behind.len() > lag {
                let earlier = behind.pop_front().unwrap().0;
                packer.release(&behind[0].0).unwrap();
                packer.release(&earlier).unwrap();
            }
            for (progress, saved) in &behind {
                prop_assert_eq!(&packer.state(progress).unwrap(), saved);
            }
        }
    }

    #[test]
    fn statistics_go_on_after_a_resume(corpus in corpora(all_modes()), stop in 0_usize..16) {
        let mut whole = corpus.packer::<i32>(corpus.all_splits());
        corpus.read(&mut whole, usize::MAX, 0);
        let mut first = corpus.packer::<i32>(corpus.all_splits());
        corpus.read(&mut first, stop.min(corpus.cycles()) * corpus.splits.len(), 0);
        let mut second = corpus.load::<i32>(corpus.all_splits(), &through_json(&state(&first)));
        corpus.read(&mut second, usize::MAX, 0);
        prop_assert_eq!(second.stats(&second.progress()), whole.stats(&whole.progress()));
    }
}
