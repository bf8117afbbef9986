mod plain;
use board::Board;
use firmware::ftl::precondition::Precondition;
use plain::*;
use sim::*;
use nvme::io::*; use nvme::command::*;
#[test]
fn lat() {
    for (b, write) in [("cosmos-plus", false), ("cosmos-plus-mlc", false), ("cosmos-plus", true), ("cosmos-plus-mlc", true)] {
    let board = Board::resolve(b, &[]).unwrap();
    let t = std::time::Instant::now();
    let mut x = Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip);
    x.drive.precondition(Precondition::Sequential);
    eprintln!("start {:?}", t.elapsed());
    x.start_once();
    // PRP list per slot
    for slot in 0..64u64 { for n in 1..4u64 { let e=(DATA+slot*16384+n*4096).to_le_bytes(); x.drive.host_mut().memory.write(0x2_0000+slot*64+(n-1)*8, &e); } }
    let mk = |cid: u16, lba: u64| { let h = Header{cid, nsid:1, data: DataPointer{prp1: DATA+cid as u64*16384, prp2: 0x2_0000+cid as u64*64}}; let r=BlockRange{start:lba, blocks:4}; if write {IoCommand::Write(r, UnitAccess::Normal).emit(h)} else {IoCommand::Read(r, UnitAccess::Normal).emit(h)} };
    for qd in [1u64, 8, 16, 32, 64] {
        let mut lba = qd*1000000; let mut sub=[0u64;64];
        let warm = if write {1100} else {64};
        let total = std::env::var("N").map(|n| n.parse().unwrap()).unwrap_or(3000usize) + warm;
        let cmds: Vec<_> = (0..qd as u16).map(|c| { let e = mk(c, lba); lba+=4; e }).collect();
        let t0 = x.drive.now(); for s in sub.iter_mut() {*s=t0;}
        x.drive.host_mut().parts.clear();
        x.submit(1, &cmds);
        let (mut done, mut lat, mut fw, mut st, mut n) = (0, 0u64, 0u64, 0u64, 0u64); let mut tstart=0;
        let w = std::time::Instant::now();
        while done < total {
            x.drive.run(|h| !h.seen.is_empty());
            let seen: Vec<_> = x.drive.host_mut().seen.drain(..).collect();
            let parts: Vec<_> = std::mem::take(&mut x.drive.host_mut().parts);
            let mut out = vec![];
            let now = x.drive.now();
            for (i,(t, e)) in seen.iter().enumerate() {
                assert!(e.status.is_success(), "{}", e.status);
                done += 1; if done==warm {tstart=*t;}
                if done > warm { lat += t - sub[e.cid as usize]; fw += parts[i].firmware; st += parts[i].storage; n+=1; }
                if done + (qd as usize) <= total { sub[e.cid as usize]=now; out.push(mk(e.cid, lba)); lba+=4; }
            }
            if !out.is_empty() { x.submit(1, &out); }
        }
        let span = x.drive.now()-tstart;
        let u = x.drive.usage();
        eprintln!("{b} w={write} qd {qd}: sys {:.1} hic {:.1} fw {:.1} st {:.1} us  MB/s {:.0}  idle {:.2} wall {:?}", lat as f64/n as f64/1e6, (lat-fw-st) as f64/n as f64/1e6, fw as f64/n as f64/1e6, st as f64/n as f64/1e6, n as f64*16384.0/(span as f64/1e12)/1e6, u.idle_ps as f64/u.now_ps as f64, w.elapsed());
    }
    }
}
