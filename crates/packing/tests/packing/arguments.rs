use lance_loader_order::{Code, Error};
use lance_loader_packing::{
    AttentionLengths, BlockBatch, LongDocuments, PackMode, PackOptions, PackOutcome, Packer,
};

const OPTIONS: PackOptions =
    PackOptions { length: 4, eos_id: 9, pad_id: 0, blocks_per_epoch: 4, mode: PackMode::Concat };

fn refused(options: PackOptions, documents: &[u64], owned: std::ops::Range<u32>) -> String {
    let error = Packer::<i32>::new(options, documents, owned).expect_err("the options are to be refused");
    assert_eq!(error.code(), Code::InvalidArgument);
    error.message().to_owned()
}

#[test]
fn options_out_of_range_are_refused_by_name_and_value() {
    let too_long = PackOptions { length: 1 << 31, ..OPTIONS };
    let look_ahead = PackMode::BestFit { look_ahead: 0, long_documents: LongDocuments::Error };
    for (options, expected) in [
        (PackOptions { length: 0, ..OPTIONS }, "packSequences is 0; it must be 1 to 2147483647"),
        (too_long, "packSequences is 2147483648; it must be 1 to 2147483647"),
        (PackOptions { eos_id: 1 << 31, ..OPTIONS }, "eosId is 2147483648, which does not fit int32"),
        (
            PackOptions { pad_id: i64::MIN, ..OPTIONS },
            "padId is -9223372036854775808, which does not fit int32",
        ),
        (
            PackOptions { blocks_per_epoch: 5, ..OPTIONS },
            "blocksPerEpoch is 5; it must be a positive multiple of numSplits (2), such as 6",
        ),
        (
            PackOptions { blocks_per_epoch: 0, ..OPTIONS },
            "blocksPerEpoch is 0; it must be a positive multiple of numSplits (2), such as 2",
        ),
        (PackOptions { blocks_per_epoch: u64::MAX - 1, ..OPTIONS }, "more than 2^63 - 1 tokens"),
        (PackOptions { mode: look_ahead, ..OPTIONS }, "look-ahead of packing 'bestFit' is 0"),
    ] {
        let message = refused(options, &[1, 1], 0..2);
        assert!(message.contains(expected), "{message}");
    }
    assert!(refused(OPTIONS, &[], 0..1).contains("numSplits is 0"));
    for owned in [0..0, 1..3, std::ops::Range { start: 2, end: 1 }] {
        assert!(refused(OPTIONS, &[1, 1], owned).contains("at least one of 0..2"));
    }
}

#[test]
fn a_token_that_does_not_fit_is_an_error_and_its_document_can_be_pushed_again() {
    let mut packer = Packer::<i32>::new(PackOptions { blocks_per_epoch: 1, ..OPTIONS }, &[2], 0..1).unwrap();
    packer.push(0, &[1_u8]).unwrap();
    let message = packer.push(0, &[7_i64, 1 << 40, -(1 << 40)]).unwrap_err().message().to_owned();
    assert!(
        message.contains("a token of document 1 of split 0 is 1099511627776, which does not fit int32"),
        "{message}"
    );
    assert_eq!((packer.documents_pushed(0).unwrap(), packer.buffered_tokens(0).unwrap()), (1, 2));
    packer.push(0, &[7_i64]).unwrap();
    let (mut input_ids, mut doc_ids) = ([0; 4], [0; 4]);
    let mut batch = BlockBatch::new(4, &mut input_ids, &mut doc_ids).unwrap();
    assert_eq!(packer.pack(&mut batch).unwrap(), PackOutcome::Full);
    assert_eq!(
        packer.pack(&mut BlockBatch::new(4, &mut [0; 4], &mut [0; 4]).unwrap()).unwrap(),
        PackOutcome::Complete
    );
    assert_eq!((input_ids, doc_ids), ([1, 9, 7, 9], [0, 0, 1, 1]));
}

#[test]
fn documents_of_every_integer_type_are_taken_and_checked_at_both_ends() {
    macro_rules! check {
        ($($from:ty),*) => {$(
            let options = PackOptions { length: 2, ..OPTIONS };
            let mut narrow = Packer::<i32>::new(options, &[9], 0..1).unwrap();
            let mut wide = Packer::<i64>::new(options, &[9], 0..1).unwrap();
            for value in [<$from>::MIN, 0, 1, <$from>::MAX] {
                assert_eq!(narrow.push(0, &[0, value]).is_ok(), i32::try_from(value).is_ok(), "{value}");
                assert_eq!(wide.push(0, &[0, value]).is_ok(), i64::try_from(value).is_ok(), "{value}");
            }
        )*};
    }
    check!(i8, i16, i32, i64, u8, u16, u32, u64);
}

#[test]
fn a_document_more_than_the_split_has_and_a_split_that_is_not_owned_are_refused() {
    let mut packer = Packer::<i32>::new(OPTIONS, &[1, 1], 0..1).unwrap();
    packer.push(0, &[1]).unwrap();
    let message = packer.push(0, &[2]).unwrap_err().message().to_owned();
    assert!(message.contains("split 0, which has 1 documents and got them all"), "{message}");
    let message = packer.push(1, &[2]).unwrap_err().message().to_owned();
    assert!(message.contains("split 1 is not owned; the owned ones are 0..1"), "{message}");
    assert!(packer.needs(1).is_err() && packer.is_complete(7).is_err());
}

fn with_extras(positions: usize, mask: usize) -> Result<usize, Error> {
    BlockBatch::<i32>::new(4, &mut [0; 4], &mut [0; 4])?
        .with_position_ids(&mut vec![0; positions])?
        .with_loss_mask(&mut vec![0; mask])
        .map(|batch| batch.length())
}

#[test]
fn buffers_of_other_sizes_are_refused() {
    let mut lengths = AttentionLengths::default();
    let error = |result: Result<BlockBatch<'_, i32>, Error>| result.unwrap_err().message().to_owned();
    assert!(error(BlockBatch::new(4, &mut [0; 6], &mut [0; 6])).contains("inputIds has 6 items"));
    assert!(error(BlockBatch::new(4, &mut [0; 8], &mut [0; 4])).contains("docIds has 4 items"));
    assert!(error(BlockBatch::new(0, &mut [0; 8], &mut [0; 8])).contains("packSequences is 0"));
    assert!(with_extras(3, 4).unwrap_err().message().contains("positionIds has 3 items"));
    assert!(with_extras(4, 5).unwrap_err().message().contains("lossMask has 5 items"));
    assert_eq!(with_extras(4, 4).unwrap(), 4);
    let mut packer = Packer::<i32>::new(OPTIONS, &[1], 0..1).unwrap();
    let (mut input_ids, mut doc_ids) = ([0; 6], [0; 6]);
    let mut batch = BlockBatch::new(3, &mut input_ids, &mut doc_ids)
        .unwrap()
        .with_attention_lengths(&mut lengths)
        .unwrap();
    assert!(
        packer.pack(&mut batch).unwrap_err().message().contains("blocks of 3 tokens; packSequences is 4")
    );
}

#[test]
fn a_batch_of_no_rows_is_full_at_once() {
    let mut packer = Packer::<i64>::new(OPTIONS, &[1], 0..1).unwrap();
    let mut batch = BlockBatch::new(4, &mut [], &mut []).unwrap();
    assert_eq!(packer.pack(&mut batch).unwrap(), PackOutcome::Full);
}

#[test]
fn the_progress_of_another_packer_is_refused() {
    let two = Packer::<i32>::new(OPTIONS, &[1, 1], 0..2).unwrap();
    let mut one = Packer::<i32>::new(OPTIONS, &[1, 1], 0..1).unwrap();
    assert_eq!(one.release(&two.progress()).unwrap_err().code(), Code::Internal);
    assert_eq!(one.state(&two.progress()).unwrap_err().code(), Code::Internal);
}
