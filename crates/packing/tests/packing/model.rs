//! What blocks must be, token by token, with no regard to speed.

use std::cmp::Reverse;

use lance_loader_packing::LongDocuments;

/// A block with everything that can be asked for beside its tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) input_ids: Vec<i64>,
    pub(crate) doc_ids: Vec<i32>,
    pub(crate) position_ids: Vec<i32>,
    pub(crate) loss_mask: Vec<u8>,
    pub(crate) attention_lengths: Vec<i32>,
}

/// A token and the document (or piece of one) that it is from; none for padding.
type Owned = (i64, Option<usize>);

pub(crate) fn block(tokens: &[Owned]) -> Block {
    let mut block = Block { attention_lengths: vec![0], ..Block::default() };
    let (mut document, mut position) = (0, 0);
    for (index, &(token, owner)) in tokens.iter().enumerate() {
        if index > 0 && owner != tokens[index - 1].1 {
            position = 0;
            document += i32::from(owner.is_some());
            block.attention_lengths.push(i32::try_from(index).unwrap());
        }
        block.input_ids.push(token);
        block.doc_ids.push(document);
        block.position_ids.push(position);
        block.loss_mask.push(u8::from(owner.is_some()));
        position += 1;
    }
    block.attention_lengths.push(i32::try_from(tokens.len()).unwrap());
    block
}

pub(crate) fn ended(document: &[i64], eos: i64) -> Vec<i64> {
    [document, &[eos]].concat()
}

/// All documents with their eos in one line, cut into `blocks` blocks.
pub(crate) fn concat(
    documents: &[Vec<i64>],
    length: usize,
    (eos, pad): (i64, i64),
    blocks: usize,
) -> Vec<Block> {
    let owned = |(number, document): (usize, &Vec<i64>)| {
        ended(document, eos).into_iter().map(move |token| (token, Some(number))).collect::<Vec<_>>()
    };
    let mut tokens: Vec<Owned> = documents.iter().enumerate().flat_map(owned).collect();
    tokens.resize(length * blocks.max(tokens.len().div_ceil(length)), (pad, None));
    tokens.chunks(length).take(blocks).map(block).collect()
}

/// Windows of at least `window` tokens, each placed first-fit-decreasing.
pub(crate) fn best_fit(
    documents: &[Vec<i64>],
    length: usize,
    (eos, pad): (i64, i64),
    (window, long): (usize, LongDocuments),
    blocks: usize,
) -> Vec<Block> {
    let mut packed: Vec<Vec<Owned>> = Vec::new();
    let (mut pieces, mut tokens, mut number) = (Vec::new(), 0, 0);
    for document in documents {
        let document = ended(document, eos);
        if document.len() > length && long == LongDocuments::Drop {
            continue;
        }
        tokens += document.len();
        for piece in document.chunks(length) {
            pieces.push(piece.iter().map(|&token| (token, Some(number))).collect::<Vec<_>>());
            number += 1;
        }
        if tokens >= window {
            packed.extend(place(&std::mem::take(&mut pieces), length));
            tokens = 0;
        }
    }
    packed.extend(place(&pieces, length));
    packed.resize(blocks.max(packed.len()), Vec::new());
    packed.truncate(blocks);
    packed
        .into_iter()
        .map(|mut tokens| {
            tokens.resize(length, (pad, None));
            block(&tokens)
        })
        .collect()
}

fn place(pieces: &[Vec<Owned>], length: usize) -> Vec<Vec<Owned>> {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|&piece| Reverse(pieces[piece].len()));
    let mut bins: Vec<Vec<usize>> = Vec::new();
    for piece in order {
        let used = |bin: &Vec<usize>| bin.iter().map(|&other| pieces[other].len()).sum::<usize>();
        match bins.iter_mut().find(|bin| used(bin) + pieces[piece].len() <= length) {
            Some(bin) => bin.push(piece),
            None => bins.push(vec![piece]),
        }
    }
    for bin in &mut bins {
        bin.sort_unstable();
    }
    bins.sort_unstable();
    bins.iter().map(|bin| bin.iter().flat_map(|&piece| pieces[piece].clone()).collect()).collect()
}
