//! A corpus of awkward files, small and made by hand, each with what must come of it beside it.

use std::io::Write as _;

use plackett_dag::{
    Dataset,
    dataset::{Delimiter, Kind, Missing, Reading},
    finding::{Remedy, finding_texts},
    gram::Centering,
};

/// What came of it, in a line: rows, columns with their kinds and missing values, what was noticed, what is wrong.
fn outcome(bytes: &[u8], reading: &Reading) -> String {
    let data = match Dataset::from_reader(bytes, "d", reading) {
        Ok(data) => data,
        Err(error) => return format!("refused: {error}"),
    };
    let columns: Vec<String> = data
        .columns()
        .iter()
        .map(|column| {
            let kind = if column.kind == Kind::Numbers { "n" } else { "c" };
            let gaps = if column.missing > 0 { format!("-{}", column.missing) } else { String::new() };
            format!("{}:{kind}{gaps}", column.name)
        })
        .collect();
    let mut parts = vec![format!("{} {}", data.rows(), columns.join(" "))];
    if !data.notes().is_empty() {
        parts.push(format!("({})", data.notes().join(", ")));
    }
    let spell = |_: &Remedy| String::new();
    for text in finding_texts(&data.faults(), spell) {
        parts.push(format!("FAULT {}", text.split(" (").next().unwrap_or_default()));
    }
    for text in finding_texts(&data.warnings(), spell) {
        parts.push(format!("warning {}", text.split(" (").next().unwrap_or_default()));
    }
    // Where nothing but unnamed columns is left there is nothing to find fault with.
    let is_unfit = !data.faults().is_empty() || data.columns().is_empty();
    assert_eq!(data.observations(Centering::Center).is_err(), is_unfit);
    parts.join(" ")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn utf16(text: &str) -> Vec<u8> {
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// A column of numbers that are not whole, under a header, with others beside it.
fn beside(name: &str, cell: impl Fn(usize) -> String, rows: usize) -> String {
    let row = |row: usize| format!("{}.5,{}\n", row * 7 % 31, cell(row));
    format!("x,{name}\n{}", (0..rows).map(row).collect::<String>())
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of files")]
fn every_awkward_file_has_the_outcome_beside_it() {
    let many_words = beside("word", |row| format!("w{row}"), 300);
    let many_dates = beside("day", |row| format!("2024-{:02}-{:02}", row / 28 + 1, row % 28 + 1), 300);
    let many_cities = beside("city", |row| format!("city {}", row * row % 601), 2000);
    let families =
        beside("family", |row| if row % 30 > 27 { "13A".into() } else { (row % 30).to_string() }, 60);
    let ids = beside("id", |row| (row + 1000).to_string(), 30);
    let sentinels =
        beside("age", |row| if row % 9 == 4 { "-999".into() } else { (row * 5 % 37 + 20).to_string() }, 60);
    let codes = beside("grade", |row| (row * row % 5).to_string(), 40);
    let slip =
        beside("age", |row| if row == 17 { "four".into() } else { (row * 5 % 37 + 20).to_string() }, 60);
    let slip_late =
        beside("age", |row| if row == 390 { "four".into() } else { (row * 5 + 20).to_string() }, 400);
    let late_gap =
        beside("age", |row| if row == 390 { "-".into() } else { format!("{}", row * 3 % 997) }, 400);
    let tails =
        beside("income", |row| if row == 7 { "100000.5".into() } else { format!("{}.25", row * 5 % 37) }, 60);
    let near = beside("y", |row| format!("{}.{:03}", row * 7 % 31, 501 + row % 3), 40);
    let long_name = format!("{},b\n1.5,2\n2.5,1\n3.5,3\n", "x".repeat(1_000_000));
    let nul = "a,b\n1,2\n\0\0\0\0\n";
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        // Delimiters.
        ("plain", b"a,b\n1.5,2\n3,4.5\n2,1\n".to_vec(), "3 a:n b:n"),
        ("tabs", b"a\tb\n1.5\t2\n3\t4.5\n2\t1\n".to_vec(), "3 a:n b:n (tabs)"),
        ("semicolons", b"a;b\n1.5;2\n3;4.5\n2;1\n".to_vec(), "3 a:n b:n (semicolons)"),
        ("bars", b"a|b\n1.5|2\n3|4.5\n2|1\n".to_vec(), "3 a:n b:n ('|' between fields)"),
        ("blanks", b"  a   b\n1.5   2\n  3 4.5\n 2   1\n".to_vec(), "3 a:n b:n (blanks between fields)"),
        ("comma and blank", b"a, b\n1.5, 2\n3, 4.5\n2, 1\n".to_vec(), "3 a:n b:n"),
        ("names with blanks", b"my a,my b\n1.5,2\n3,4.5\n2,1\n".to_vec(), "3 my a:n my b:n"),
        (
            "tabs, names with blanks",
            b"START YEAR\tV-1\n1.5\t2\n3\t4.5\n2\t1\n".to_vec(),
            "3 START YEAR:n V-1:n (tabs)",
        ),
        ("tabs, names with commas", b"a,x\tb,y\n1.5\t2\n3\t4.5\n2\t1\n".to_vec(), "3 a,x:n b,y:n (tabs)"),
        ("loose ends", b"a,b\n1.5,2,\n3,4.5,\n2,1,\n".to_vec(), "3 a:n b:n"),
        ("loose ends everywhere", b"a,b,\n1.5,2,\n3,4.5,\n2,1,\n".to_vec(), "3 a:n b:n"),
        // Decimal commas.
        ("decimal commas", b"a;b\n1,5;2\n3;4,5\n2;1\n".to_vec(), "3 a:n b:n (semicolons, decimal commas)"),
        ("thousands", b"a;b\n1.234,5;2\n3;4,5\n2;1,0\n".to_vec(), "3 a:n b:n (semicolons, decimal commas)"),
        (
            "decimal commas and tabs",
            b"a\tb\n1,5\t2\n3\t4,5\n2\t1\n".to_vec(),
            "3 a:n b:n (tabs, decimal commas)",
        ),
        // Line ends, marks, encodings, packing.
        ("CRLF", b"a,b\r\n1.5,2\r\n3,4.5\r\n2,1\r\n".to_vec(), "3 a:n b:n"),
        ("CR", b"a,b\r1.5,2\r3,4.5\r2,1".to_vec(), "3 a:n b:n (CR line ends)"),
        ("byte-order mark", b"\xEF\xBB\xBFa,b\n1.5,2\n3,4.5\n2,1\n".to_vec(), "3 a:n b:n"),
        ("UTF-16", utf16("a,b\n1.5,é\n3,4.5\n2,é\n"), "3 a:n b:c (UTF-16)"),
        ("Latin-1", b"gr\xF6\xDFe,b\ngro\xDF,x\nklein,y\ngro\xDF,y\n".to_vec(), "3 größe:c b:c (Latin-1)"),
        ("UTF-8", "größe,b\ngroß,x\nklein,y\ngroß,y\n".into(), "3 größe:c b:c"),
        ("gzip", gzip(b"a,b\n1.5,2\n3,4.5\n2,1\n"), "3 a:n b:n (gzip)"),
        ("zstd", zstd(b"a,b\n1.5,2\n3,4.5\n2,1\n"), "3 a:n b:n (zstd)"),
        ("gzip of tabs with CRLF", gzip(b"a\tb\r\n1.5\t2\r\n3\t4.5\r\n2\t1\r\n"), "3 a:n b:n (gzip, tabs)"),
        ("broken gzip", b"\x1F\x8B\x08\x00broken".to_vec(), "refused: d: incomplete deflate stream"),
        ("no end of the last line", b"a,b\n1.5,2\n3,4.5\n2,1".to_vec(), "3 a:n b:n"),
        ("blank lines", b"\n\na,b\n\n1.5,2\n\n3,4.5\n2,1\n\n".to_vec(), "3 a:n b:n"),
        // Remarks, headers, row names.
        (
            "remarks",
            b"# made by hand\n# in May\na,b\n1.5,2\n# a pause\n3,4.5\n2,1\n".to_vec(),
            "3 a:n b:n (comment lines)",
        ),
        ("remarks inside only", b"a,b\n1.5,2\n# a pause\n3,4.5\n2,1\n".to_vec(), "3 a:n b:n"),
        (
            "names in a remark",
            b"# a b\n1.5 2\n3 4.5\n2 1\n".to_vec(),
            "3 a:n b:n (blanks between fields, comment lines, names in a comment)",
        ),
        ("no header, numbers", b"1.5,2\n3,4.5\n2,1\n".to_vec(), "3 x1:n x2:n (no header)"),
        ("no header, whole numbers", b"7,2\n3,4\n7,4\n3,2\n7,2\n3,4\n".to_vec(), "6 x1:c x2:c (no header)"),
        ("no header, words and numbers", b"M,0.5\nF,1.5\nM,2.5\n".to_vec(), "3 x1:c x2:n (no header)"),
        ("no header, words and whole numbers", b"M,1\nF,0\nM,0\nF,1\n".to_vec(), "4 x1:c x2:c (no header)"),
        (
            "years as names",
            b"who,2019,2020\nann,1,0\nbob,0,0\ncas,0,1\nann,1,1\n".to_vec(),
            "4 who:c 2019:c 2020:c warning column \"who\" has 3 categories in 4 rows: too many for it to show parents or children",
        ),
        (
            "numbered columns",
            b"0,1,2\n1.5,2,9\n3,4.5,8\n2,1,0\n".to_vec(),
            "3 0:n 1:n 2:n warning 3 rows for 3 columns: too few to tell causes from chance; take the graph as a list of suspicions",
        ),
        (
            "an index without a name",
            b",a,b\n0,1.5,2\n1,3,4.5\n2,2,1\n".to_vec(),
            "3 a:n b:n (an unnamed first column, left out)",
        ),
        (
            "row names as R writes them",
            b"\"a\" \"b\"\n\"r 1\" 1.5 2\n\"r 2\" 3 4.5\n\"r 3\" 2 1\n".to_vec(),
            "3 a:n b:n (blanks between fields, an unnamed first column, left out)",
        ),
        (
            "a column without a name",
            b"a,,b\n1.5,7,2\n3,1,4.5\n2,1,1\n".to_vec(),
            "3 a:n column 2:n b:n warning 3 rows for 3 columns: too few to tell causes from chance; take the graph as a list of suspicions warning column \"column 2\" had no name in the file",
        ),
        ("quotes", b"\"a\",\"b, c\"\n\"1.5\",2\n3,\"4.5\"\n2,1\n".to_vec(), "3 a:n b, c:n"),
        ("quoted line break", b"a,\"b\nc\"\n1.5,2\n3,4.5\n2,1\n".to_vec(), "3 a:n b\nc:n"),
        ("inches", b"a,size\n1.5,5\" pipe\n3,6\" pipe\n2,5\" pipe\n".to_vec(), "3 a:n size:c"),
        ("open quote", b"a,b\n1,\"2\n3,4\n".to_vec(), "refused: d, line 2: a quotation mark is never closed"),
        // Missing values.
        (
            "NA",
            b"a,b\n1.5,NA\n3,4.5\nNA,1\n".to_vec(),
            "3 a:n-1 b:n-1 FAULT line 2, column \"b\": the value is missing",
        ),
        (
            "empty",
            b"a,b\n1.5,\n3,4.5\n2,1\n".to_vec(),
            "3 a:n b:n-1 FAULT line 2, column \"b\": the value is missing",
        ),
        (
            "asterisk",
            b"a\tb\n1.5\t*\n3\t4.5\n2\t1\n".to_vec(),
            "3 a:n b:n-1 (tabs) FAULT line 2, column \"b\": the value is missing",
        ),
        (
            "question marks among words",
            b"a,b\nx,?\ny,z\nx,w\n".to_vec(),
            "3 a:c b:c-1 FAULT line 2, column \"b\": the value is missing",
        ),
        (
            "points among numbers",
            b"a,b\n1.5,.\n3,4.5\n2,1\n".to_vec(),
            "3 a:n b:n-1 FAULT line 2, column \"b\": the value is missing",
        ),
        ("none among words", b"a,b\nx,none\ny,rust\nx,rust\n".to_vec(), "3 a:c b:c"),
        (
            "a late gap",
            late_gap.into(),
            "400 x:n age:n-1 FAULT line 392, column \"age\": the value is missing",
        ),
        (
            "a column of nothing",
            b"a,b,c\n1.5,NA,2\n3,NA,4.5\n2,NA,1\n".to_vec(),
            "3 a:n b:n-3 c:n FAULT line 2, column \"b\": the value is missing warning column \"b\" is constant, so that no edge leads there or from there warning 3 rows for 3 columns: too few to tell causes from chance; take the graph as a list of suspicions",
        ),
        (
            "none among few whole numbers",
            b"a,b\n1,x\nNone,y\n2,x\n1,y\n".to_vec(),
            "4 a:c-1 b:c FAULT line 3, column \"a\": the value is missing",
        ),
        (
            "control characters in a name",
            b"a\x1b[31m,b\n1.5,NA\n3,4.5\nNA,1\n".to_vec(),
            "3 a\u{1b}[31m:n-1 b:n-1 FAULT line 2, column \"b\": the value is missing",
        ),
        // Kinds and suspicions.
        ("whole numbers", b"a,b\n1,2\n1,3\n2,2\n2,3\n1,3\n".to_vec(), "5 a:c b:c"),
        ("whole numbers with a point", b"a,b\n1.0,2\n1,3\n2,2.0\n2,3\n1,3\n".to_vec(), "5 a:c b:c"),
        ("words beside numbers", b"a,b\n1.5,x\n2.5,y\n3.5,x\n".to_vec(), "3 a:n b:c"),
        (
            "many words",
            many_words.into(),
            "300 x:n word:c warning column \"word\" holds 300 different values, as names do, none of them twice: no edge leads there or from there",
        ),
        (
            "many dates",
            many_dates.into(),
            "300 x:n day:c warning column \"day\" holds 300 different dates, none of them twice: no edge leads there or from there",
        ),
        (
            "ids",
            ids.into(),
            "30 x:n id:n warning column \"id\" holds a different value in every row, as row numbers do",
        ),
        (
            "sentinels",
            sentinels.into(),
            "60 x:n age:n warning column \"age\" holds -999 7 times, far from all other values: it may stand for missing values",
        ),
        (
            "codes",
            codes.into(),
            "40 x:n grade:n warning column \"grade\" holds few different whole numbers and is taken as numbers",
        ),
        (
            "more words than a byte can tell apart",
            many_cities.into(),
            "2000 x:n city:c warning column \"city\" holds 301 different values: the 254 most frequent are categories, and the others together one",
        ),
        (
            "numbers with letters",
            families.into(),
            "60 x:n family:c warning column \"family\" has 29 categories in 60 rows: too many for it to show parents or children",
        ),
        ("two codes beside words", b"a,b,c\n1.5,x,0\n2.5,y,1\n3.5,x,1\n0.5,y,0\n".to_vec(), "4 a:n b:c c:c"),
        ("a slip", slip.into(), "60 x:n age:n FAULT line 19, column \"age\": \"four\" is not a number"),
        (
            "a late slip",
            slip_late.into(),
            "400 x:n age:n FAULT line 392, column \"age\": \"four\" is not a number",
        ),
        (
            "infinity",
            b"a,b\n1.5,2\n3,inf\n2,1\n".to_vec(),
            "3 a:n b:n FAULT line 3, column \"b\": inf is not a finite number",
        ),
        (
            "heavy tails",
            tails.into(),
            "60 x:n income:n warning column \"income\" holds a few values so far out that they decide everything: look at them, or take logarithms",
        ),
        ("a near-copy", near.into(), "40 x:n y:n warning column \"y\" is nearly a copy of column \"x\""),
        (
            "a copy",
            b"a,b,c\n1.5,3,0\n2.5,5,7\n4,8,1\n0.5,1,1\n".to_vec(),
            "4 a:n b:n c:n warning column \"b\" is a copy of column \"a\" up to shift and scale",
        ),
        (
            "constants",
            b"a,b,c\n1.5,3,x\n2.5,3,x\n".to_vec(),
            "2 a:n b:n c:c warning columns \"c\", \"b\" are constant, so that no edge leads there or from there warning 2 rows for 3 columns: too few to tell causes from chance; take the graph as a list of suspicions",
        ),
        (
            "too large",
            b"a,b\n1e200,3\n-1e200,4.5\n1,2\n".to_vec(),
            "3 a:n b:n FAULT column \"a\": the values are too large for their squares to be finite",
        ),
        (
            "the same categories",
            b"a,b\nx,1\ny,2\nx,1\ny,2\n".to_vec(),
            "4 a:c b:c warning column \"b\" tells the same as column \"a\": directions among them mean nothing",
        ),
        // What is no data.
        (
            "knowledge",
            b"/knowledge\naddtemporal\n\n1 a\n2 b\n".to_vec(),
            "refused: d: this file says what is known of a graph, and has no data (give it beside the data, by --knowledge or \
             knowledge=)",
        ),
        (
            "a graph",
            b"Graph Nodes:\na;b\n\nGraph Edges:\n1. a --> b\n".to_vec(),
            "refused: d: this file is a graph as Tetrad saves it, and has no data (it can be compared with another by evaluate, \
             and fitted to data by fit)",
        ),
        ("empty file", b"".to_vec(), "refused: d: the file is empty"),
        ("blanks only", b" \n\n".to_vec(), "refused: d: the file is empty"),
        ("a header only", b"a,b\n".to_vec(), "refused: d: the file has a header and no rows"),
        (
            "one row",
            b"a,b\n1,2\n".to_vec(),
            "1 a:n b:n FAULT there is only one row; nothing can be learned from it",
        ),
        (
            "one column",
            b"a\n1.5\n2\n".to_vec(),
            "2 a:n FAULT \"a\" is the only column; a graph needs at least two",
        ),
        ("ragged", b"a,b\n1,2\n3\n".to_vec(), "refused: d, line 3: the row has 1 field, the header has 2"),
        (
            "repeated names",
            b"a,b,a\n1,2,3\n".to_vec(),
            "refused: d, line 1, column \"a\": two columns have this name",
        ),
        (
            "Excel",
            b"PK\x03\x04\x14\0\x06\0".to_vec(),
            if cfg!(feature = "excel") {
                "refused: d: the workbook cannot be read: Cannot detect file format"
            } else {
                "refused: d: this is an Excel workbook or another zip archive, and this program was built without it: the released programs and the Python package have it, `cargo install plackett-cli --features excel` builds it in, and as CSV it is read by any"
            },
        ),
        (
            "Parquet",
            b"PAR1\x15\x04".to_vec(),
            "refused: d: this is a Parquet file, which is read from a file, not from a pipe",
        ),
        (
            "JSON",
            b"[{\"a\": 1}]".to_vec(),
            "refused: d: this is JSON: tables are read as text with a row per line (save or export it as CSV)",
        ),
        (
            "a covariance matrix",
            b"164\na b\n1.0\n .62 1.0\n".to_vec(),
            "164 a:n b:n (the covariance matrix of 164 rows)",
        ),
        (
            "a covariance matrix with tabs and a remark",
            b"# three tests\n164\na\tb\tc\n1.0\n.62\t1.0\n.1\t.2\t1.0\n".to_vec(),
            "164 a:n b:n c:n (the covariance matrix of 164 rows)",
        ),
        (
            "a covariance matrix of no data",
            b"164\na b\n1.0\n 1.62 1.0\n".to_vec(),
            "refused: d: this is no covariance matrix: it is that of no data: it is not positive semi-definite, which shows at \"b\" (a number of rows, names, and a triangle of numbers are needed)",
        ),
        (
            "zeros",
            nul.into(),
            "refused: d: this is no text: tables are read as text with a row per line (save or export it as CSV)",
        ),
    ];
    let differing: Vec<String> = cases
        .iter()
        .map(|(name, bytes, expected)| (name, outcome(bytes, &Reading::default()), expected))
        .filter(|(_, found, expected)| found != *expected)
        .map(|(name, found, expected)| format!("{name}\n  found    {found}\n  expected {expected}\n"))
        .collect();
    assert!(differing.is_empty(), "{}", differing.concat());
    let error = outcome(long_name.replace(",b", ",b,b").as_bytes(), &Reading::default());
    assert!(error.len() < 200, "{} bytes", error.len());
    assert!(outcome(long_name.as_bytes(), &Reading::default()).starts_with("3 x"));
}

#[test]
fn what_is_said_overrules_what_is_seen() {
    let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
    let default = Reading::default;
    for (reading, text, expected) in [
        (
            Reading { delimiter: Some(Delimiter::Byte(b';')), ..default() },
            "a,x;b,y\n1,5;2\n3;4,5\n2;1\n",
            "3 a,x:n b,y:n (semicolons, decimal commas)",
        ),
        (
            Reading { decimal_comma: Some(true), ..default() },
            "a;b\n1;2\n3;4\n2;1\n",
            "3 a:n b:n (semicolons, decimal commas)",
        ),
        (Reading { header: Some(false), ..default() }, "a,b\nx,y\na,y\n", "3 x1:c x2:c (no header)"),
        (Reading { header: Some(true), ..default() }, "1.5,2\n3,4.5\n2,1\n4,4\n", "3 1.5:n 2:n"),
        (
            Reading { columns: Some(names(&["c", "a"])), ..default() },
            "a,b,c\n1.5,x,2\n3,y,4.5\n2,x,1\n",
            "3 c:n a:n",
        ),
        (Reading { drop: names(&["b"]), ..default() }, "a,b,c\n1.5,x,2\n3,y,4.5\n2,x,1\n", "3 a:n c:n"),
        (
            Reading { drop: names(&["z"]), ..default() },
            "a,b\n1,2\n",
            "refused: there is no column \"z\"; there are \"a\", \"b\"",
        ),
        (
            Reading { drop: names(&["a", "b"]), ..default() },
            "a,b\n1,2\n",
            "refused: columns and drop leave nothing to learn from",
        ),
        (
            Reading { numeric: names(&["a", "b"]), ..default() },
            "a,b\n1,2\n3,four\n1,3\n",
            "3 a:n b:n FAULT line 3, column \"b\": \"four\" is not a number",
        ),
        (
            Reading { categorical: names(&["a", "b"]), ..default() },
            "a,b\n0.5,2\n1.5,1\n0.5,2\n",
            "3 a:c b:c warning column \"b\" tells the same as column \"a\": directions among them mean nothing",
        ),
        (Reading::all(Kind::Numbers), "a,b\n1,0\n0,0\n1,1\n", "3 a:n b:n"),
        (
            Reading { missing: Missing::Drop, ..default() },
            "a,b\n1.5,2\n3,NA\n2,1\n5,5\n",
            "3 a:n b:n-1 warning values are missing in 1 of 4 rows and 1 column: \"b\" 1; these rows are left out, which assumes that values are missing completely at random",
        ),
        (
            Reading { missing: Missing::Drop, ..default() },
            "a,b\nx,2\ny,NA\nz,1\nx,1\n",
            "3 a:c b:c-1 warning values are missing in 1 of 4 rows and 1 column: \"b\" 1; these rows are left out, which assumes that values are missing completely at random",
        ),
        (
            Reading { missing_marks: Some(names(&["-999", "x"])), ..default() },
            "a,b\n1.5,2\n3,-999.0\nx,1\n",
            "3 a:n-1 b:n-1 FAULT line 3, column \"b\": the value is missing",
        ),
        (Reading { missing_marks: Some(names(&["x"])), ..default() }, "a,b\n*,2\nb,1\n*,1\n", "3 a:c b:c"),
    ] {
        assert_eq!(outcome(text.as_bytes(), &reading), expected, "{text:?}");
    }
    let twenty = |text: &str| format!("a,b\n{}", text.repeat(5));
    let words = Reading { categorical: names(&["a"]), ..default() };
    assert_eq!(outcome(twenty("1,x\nNone,y\n2,x\n1,y\n").as_bytes(), &words), "20 a:c b:c");
    let told = twenty("1.5,x\n2,y\n2.5,x\n1,y\n");
    let told = Dataset::from_reader(told.as_bytes(), "d", &Reading::all(Kind::Numbers)).unwrap();
    let remedies = told.faults()[0].remedies();
    assert!(!remedies.iter().any(|remedy| matches!(remedy, Remedy::MissingMark(_))), "{remedies:?}");
    let whole = Reading { covariance: true, ..default() };
    assert_eq!(outcome(b"50\n,a,b\na,2,1\nb,1,3\n", &whole), "50 a:n b:n (the covariance matrix of 50 rows)");
    let weighted = Reading { weights: Some("w".into()), ..default() };
    assert_eq!(
        outcome(b"a,w,b\n1.5,2,2\n3,0,4.5\n2,1,1\n4,1,7\n", &weighted),
        "4 a:n b:n (weights in \"w\", by which n = 4)"
    );
    let dropped = Dataset::from_reader(
        &b"a,b\nx,2\ny,NA\nz,1\nx,1\n"[..],
        "d",
        &Reading { missing: Missing::Drop, ..default() },
    )
    .unwrap();
    assert_eq!(
        dropped.categories(0).unwrap().0,
        ["x", "z"],
        "a category of the rows that are left out is none"
    );
}

#[test]
fn one_reading_has_one_fingerprint_whatever_the_file() {
    let read = |bytes: &[u8]| {
        Dataset::from_reader(bytes, "d", &Reading::default()).unwrap().fingerprint().to_owned()
    };
    let plain = read(b"a,b\n1.5,-0\n3,4.5\n2,1e3\n");
    for other in [
        &b"a;b\r\n1,50;0\r\n3;4,5\r\n2;1000\r\n"[..],
        &gzip(b"a\tb\n1.5\t0.0\n3.0\t4.5\n2\t1000"),
        &utf16("# by hand\na|b\n1.5|0\n3|4.5\n2|1000\n"),
    ] {
        assert_eq!(read(other), plain);
    }
    // It is the same in every version.
    assert_eq!(plain, "342fb356dae9e48bfab1dda252576990");
    for other in ["a,c\n1.5,0\n3,4.5\n2,1e3\n", "a,b\n1.5,0\n3,4.5\n2,1001\n", "a,b\n3,4.5\n1.5,0\n2,1e3\n"] {
        assert_ne!(read(other.as_bytes()), plain, "{other:?}");
    }
    let words = |text: &str| read(text.as_bytes());
    assert_eq!(words("a,b\nx,1\ny,2\nx,2\n"), words("a,b\nx,1.0\ny,2\nx,2\n"));
    assert_ne!(words("a,b\nx,1\ny,2\nx,2\n"), words("a,b\ny,1\nx,2\ny,2\n"));
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let _ = Dataset::from_reader(bytes.as_slice(), "d", &Reading::default());
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[ab12.,;|\"#%*?\n\r \t-]{0,120}") {
        for kind in [None, Some(Kind::Numbers), Some(Kind::Categories)] {
            for missing in [Missing::Error, Missing::Drop] {
                outcome(text.as_bytes(), &Reading { kind, missing, ..Reading::default() });
            }
        }
    }
}
