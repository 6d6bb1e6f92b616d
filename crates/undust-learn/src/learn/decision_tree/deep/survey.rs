//! throwaway
#![allow(warnings, clippy::all, clippy::pedantic)]
use super::*;

pub(super) fn show(p: &Pattern) -> String {
    let mut s = String::new();
    for part in &p.parts {
        match part {
            Part::Fixed(t) => s += &String::from_utf8_lossy(t),
            Part::Hole(Class::Any) => s += "{*}",
            Part::Hole(_) => s += "{9}",
        }
    }
    s
}

#[test]
#[ignore]
fn survey() {
    for entry in {
        let mut v: Vec<_> =
            std::fs::read_dir("/tmp/deep-survey").unwrap().map(|e| e.unwrap().path()).collect();
        v.sort();
        v
    } {
        if entry.extension().is_none_or(|e| e != "keys") {
            continue;
        }
        let text = String::from_utf8(std::fs::read(&entry).unwrap()).unwrap();
        println!("##### {}", entry.file_name().unwrap().to_string_lossy());
        let (mut ns, mut bytes) = (0u128, 0usize);
        for key in text.split('\0').skip(1) {
            let mut lines = key.lines();
            let name = lines.next().unwrap();
            let values: Vec<&[u8]> = lines.map(str::as_bytes).collect();
            let t = std::time::Instant::now();
            let deep = Deep::new(&values);
            ns += t.elapsed().as_nanos();
            bytes += values.iter().map(|v| v.len()).sum::<usize>();
            let mut out = Vec::new();
            for (i, p) in deep.patterns().iter().enumerate() {
                let of: Vec<usize> = (0..values.len()).filter(|&v| deep.pattern_of(v) == i as u32).collect();
                let ex: Vec<String> = of
                    .iter()
                    .take(3)
                    .map(|&v| String::from_utf8_lossy(values[v]).chars().take(70).collect())
                    .collect();
                out.push((of.len(), show(p), ex.join("  ")));
            }
            out.sort_by(|a, b| b.cmp(a));
            if values.len() < 8 {
                continue;
            }
            println!(
                "== {name}: {} values, {} patterns, {} B",
                values.len(),
                deep.patterns().len(),
                values.iter().map(|v| v.len()).sum::<usize>()
            );
            for (n, p, ex) in out.iter().take(40) {
                println!("   {n:6}  {p}     <- {ex}");
            }
        }
        println!("#time {} ns/byte of {} bytes", ns as f64 / bytes as f64, bytes);
    }
}
