use futures::TryStreamExt;

use super::*;
use crate::table::TestColumn;

fn builder() -> FakeSourceBuilder {
    FakeSource::builder(TestTable::new(10, &[TestColumn::Id])).scan_rows(4)
}

#[tokio::test]
async fn takes_and_scans_deliver_the_table_and_are_counted() {
    let source = builder().build();
    assert_eq!(source.take(vec![1, 7]).await.unwrap(), source.table().batch(&[1, 7]).unwrap());
    let scanned: Vec<RecordBatch> = source.scan(1).try_collect().await.unwrap();
    let sizes: Vec<usize> = scanned.iter().map(RecordBatch::num_rows).collect();
    assert_eq!(sizes, [4, 4, 2]);
    assert_eq!(scanned[2], source.table().batch(&[8, 9]).unwrap());
    let expected = Counts {
        takes: 1,
        scans: 1,
        taken_rows: 2,
        scanned_rows: 10,
        ended: 2,
        most_taking: 1,
        most_rows_taking: 2,
        ..Counts::default()
    };
    assert_eq!(source.counts(), expected);
}

#[tokio::test]
async fn takes_out_of_contract_are_refused() {
    let source = builder().build();
    for ordinals in [vec![2, 1], vec![1, 1], vec![10]] {
        assert_eq!(source.take(ordinals).await.unwrap_err().code(), Code::Internal);
    }
    assert_eq!(source.row_ids(&mut [10]).unwrap_err().code(), Code::Internal);
}

#[tokio::test]
async fn faults_happen_to_the_reads_that_they_are_meant_for() {
    let lost = Fault::Lose(1);
    let source = builder()
        .fault(Trigger::Take(0), Fault::Error(Code::ReadFailed))
        .fault(Trigger::Ordinal(5), lost)
        .fault(Trigger::Scan(1), lost)
        .build();
    assert_eq!(source.take(vec![5]).await.unwrap_err().code(), Code::ReadFailed);
    assert_eq!(source.take(vec![4, 5]).await.unwrap().num_rows(), 1);
    assert_eq!(source.take(vec![4]).await.unwrap().num_rows(), 1);
    for sizes in [[4, 3, 2], [3, 3, 2]] {
        let scanned: Vec<RecordBatch> = source.scan(1).try_collect().await.unwrap();
        assert_eq!(scanned.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), sizes);
    }
}

#[tokio::test]
async fn reads_that_are_dropped_count_as_cancelled_and_those_that_are_held_wait() {
    let source = builder().held().build();
    let held = tokio::spawn(source.take(vec![3]));
    source.until(|counts| counts.taking == 1).await;
    drop(source.take(vec![4]));
    drop(source.scan(1));
    assert_eq!((source.counts().cancelled, source.counts().taking), (2, 1));
    source.release(0);
    assert_eq!(held.await.unwrap().unwrap().num_rows(), 1);
}

#[test]
fn row_ids_ascend_with_gaps_and_are_no_ordinals() {
    let source = builder().build();
    let mut ids: Vec<u64> = (0..10).collect();
    source.row_ids(&mut ids).unwrap();
    assert!(ids.is_sorted_by(|left, right| left < right));
    assert!(ids.iter().zip(0..).all(|(id, ordinal)| *id != ordinal));
    assert!(ids.windows(2).any(|pair| pair[1] - pair[0] > 1));
}
