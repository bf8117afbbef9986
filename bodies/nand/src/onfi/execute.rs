//! What each instruction does.

use contract::{Duration, Instant};

use super::chip::Chip;
use super::command::{Address, Confirm, Instruction};
use super::identity;
use super::lun::{status, Ahead};
use super::operate::ReadRequest;
use super::transfer::{Data, RegisterInput, RegisterTarget};
use super::{Fault, Interface, Parameter, Row};

/// Why an instruction is not carried out.
type Refusal = Result<(), Fault>;

impl Chip {
    /// A command byte came.
    pub(super) fn take_command(&mut self, now: Instant, byte: u8) {
        self.settle();
        self.command = byte;
        self.register_input = None;
        self.column_changed = None;
        match self.decoder.command(byte) {
            Ok(instruction) => self.carry_out(now, instruction),
            Err(fault) => self.silicon.check.fault(now, fault),
        }
    }

    /// An address byte came.
    pub(super) fn take_address(&mut self, now: Instant, byte: u8) {
        match self.decoder.address(byte) {
            Ok(instruction) => self.carry_out(now, instruction),
            Err(fault) => self.silicon.check.fault(now, fault),
        }
    }

    /// Carries out what was complete and could have gone on.
    pub(super) fn settle(&mut self) {
        if let (Some(instruction), Some(latched)) = (self.decoder.settle(), self.latched) {
            self.carry_out(latched, Some(instruction));
        }
    }

    /// The status register of a LUN, or of one of its planes.
    pub(super) fn status(&self, now: Instant, lun: usize, plane: Option<usize>) -> u8 {
        let mut value = self.luns[lun].status(now, plane);
        if !self.silicon.write_protected && !self.silicon.deaf {
            value |= status::NOT_PROTECTED;
        }
        if self.is_stuck() {
            value &= !(status::READY | status::ARRAY_READY);
        }
        value
    }

    fn carry_out(&mut self, now: Instant, instruction: Option<Instruction>) {
        let Some(instruction) = instruction else { return };
        if !matches!(instruction, Instruction::Status | Instruction::StatusEnhanced { .. }) {
            self.status_of = None;
        }
        if let Err(fault) = self.execute(now, instruction) {
            self.silicon.check.fault(now, fault);
        }
    }

    fn execute(&mut self, now: Instant, instruction: Instruction) -> Refusal {
        use Instruction as I;
        match instruction {
            I::Status => self.status_of = Some((self.selected, None)),
            I::StatusEnhanced { row } => {
                let row = self.row(row)?;
                self.selected = row.lun;
                self.status_of = Some((row.lun, Some(row.plane)));
            }
            I::Reset => (0..self.luns.len()).for_each(|lun| self.reset(lun)),
            I::ResetLun { row } => {
                let row = self.row(row)?;
                self.reset(row.lun);
            }
            I::ReadMode => {}
            I::SelectVolume { volume } => self.volume = volume,
            I::ReadId { .. }
            | I::ParameterPage { .. }
            | I::UniqueId { .. }
            | I::GetFeatures { .. }
            | I::SetFeatures { .. }
            | I::ConfigureOdt { .. } => self.execute_register(now, instruction)?,
            I::Read { .. }
            | I::ReadNext
            | I::ReadLast
            | I::ChangeReadColumn { .. }
            | I::ChangeReadColumnEnhanced { .. } => self.execute_read(now, instruction)?,
            I::Load { at } => self.load(now, at)?,
            I::ChangeWriteColumn { column } => self.change_write_column(now, column)?,
            I::ChangeRow { at } => self.change_row(now, at)?,
            I::CopybackLoad { at } => self.load_copyback(now, at)?,
            I::Program { confirm } => {
                self.ready_to_program(now, self.selected)?;
                let lun = &mut self.luns[self.selected];
                let row = lun.load.take().ok_or(Fault::OutOfPlace { command: self.command })?;
                lun.program(row, confirm, &mut self.silicon);
            }
            I::Erase { row, confirm } => {
                let row = self.row(row)?;
                self.array_ready(now, row.lun)?;
                self.selected = row.lun;
                self.data = Data::Nothing;
                self.luns[row.lun].erase(row, confirm, &mut self.silicon);
            }
        }
        Ok(())
    }

    fn execute_register(&mut self, now: Instant, instruction: Instruction) -> Refusal {
        use Instruction as I;
        let of_lun = match instruction {
            I::GetFeatures { lun, .. } | I::SetFeatures { lun, .. } => lun.map(usize::from),
            I::ConfigureOdt { lun } => Some(usize::from(lun)),
            _ => None,
        };
        for lun in of_lun.map_or(0..self.luns.len(), |lun| lun..lun + 1) {
            if lun >= self.luns.len() {
                return Err(Fault::NoSuchLun { lun });
            }
            self.array_ready(now, lun)?;
        }
        let config = &self.silicon.config;
        let (data, busy) = match instruction {
            I::ReadId { address } => {
                (Data::Registers(identity::read_id(config, address)), Duration::ZERO)
            }
            I::ParameterPage { .. } => {
                (Data::Bytes(identity::parameter_page(config)), config.times.read[0])
            }
            I::UniqueId { .. } => (Data::Bytes(identity::unique_id(config)), config.times.read[0]),
            I::GetFeatures { address, .. } => {
                let value = self.feature(of_lun.unwrap_or(0), address);
                (Data::Registers(value.to_vec()), config.times.feature)
            }
            I::SetFeatures { address, .. } => {
                self.take_registers(now, RegisterTarget::Feature { lun: of_lun, address });
                return Ok(());
            }
            I::ConfigureOdt { lun } => {
                self.take_registers(now, RegisterTarget::Odt { lun });
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.data = data;
        self.position = 0;
        self.selected = of_lun.unwrap_or(self.selected);
        if busy > Duration::ZERO {
            for lun in of_lun.map_or(0..self.luns.len(), |lun| lun..lun + 1) {
                self.luns[lun].busy(busy, &self.silicon);
            }
        }
        Ok(())
    }

    fn take_registers(&mut self, now: Instant, to: RegisterTarget) {
        self.register_input = Some(RegisterInput { to, bytes: vec![] });
        self.data_after = Some((Parameter::Adl, now));
    }

    fn execute_read(&mut self, now: Instant, instruction: Instruction) -> Refusal {
        use Instruction as I;
        match instruction {
            I::Read { at, confirm } => {
                let row = self.row(at.row)?;
                self.column(at.column)?;
                self.ready_to_read(now, row.lun, confirm)?;
                self.selected = row.lun;
                self.data = Data::Page;
                let request = ReadRequest { row, column: at.column, confirm };
                self.luns[row.lun].read(request, &mut self.silicon);
            }
            I::ReadNext => {
                self.ready_to_read(now, self.selected, Confirm::Cache)?;
                self.data = Data::Page;
                self.luns[self.selected].read_next(&mut self.silicon);
            }
            I::ReadLast => {
                self.ready_to_read(now, self.selected, Confirm::Cache)?;
                self.data = Data::Page;
                self.luns[self.selected].read_last(&mut self.silicon);
            }
            I::ChangeReadColumn { column } => {
                self.ready(now, self.selected)?;
                self.column_changed = Some(now);
                if let Data::Bytes(_) = self.data {
                    self.position = column;
                    return Ok(());
                }
                self.column(column)?;
                self.luns[self.selected].column = column;
                self.data = Data::Page;
            }
            I::ChangeReadColumnEnhanced { at } => {
                let row = self.row(at.row)?;
                self.column(at.column)?;
                self.ready(now, row.lun)?;
                let lun = &mut self.luns[row.lun];
                if lun.planes[row.plane].cached != Some(row.number) {
                    return Err(Fault::NotInRegister { row: row.number });
                }
                (lun.selected, lun.column) = (row.plane, at.column);
                self.selected = row.lun;
                self.data = Data::Page;
                self.column_changed = Some(now);
            }
            _ => {}
        }
        Ok(())
    }

    fn load(&mut self, now: Instant, at: Address) -> Refusal {
        let row = self.row(at.row)?;
        self.column(at.column)?;
        self.ready_to_program(now, row.lun)?;
        let plane = &mut self.luns[row.lun].planes[row.plane];
        plane.cache.fill(0xff);
        (plane.cached, plane.copyback) = (None, false);
        self.luns[row.lun].group.clear();
        self.luns[row.lun].load(row, at);
        self.selected = row.lun;
        self.data_after = Some((Parameter::Adl, now));
        Ok(())
    }

    fn load_copyback(&mut self, now: Instant, at: Address) -> Refusal {
        let row = self.row(at.row)?;
        self.column(at.column)?;
        self.ready_to_program(now, row.lun)?;
        if !self.luns[row.lun].planes[row.plane].copyback {
            return Err(Fault::NothingToCopy { row: row.number });
        }
        self.luns[row.lun].load(row, at);
        self.selected = row.lun;
        self.data_after = Some((Parameter::Ccs, now));
        Ok(())
    }

    fn change_write_column(&mut self, now: Instant, column: usize) -> Refusal {
        self.column(column)?;
        let lun = &mut self.luns[self.selected];
        if lun.load.is_none() {
            return Err(Fault::OutOfPlace { command: 0x85 });
        }
        lun.column = column;
        self.data_after = Some((Parameter::Ccs, now));
        Ok(())
    }

    fn change_row(&mut self, now: Instant, at: Address) -> Refusal {
        let row = self.row(at.row)?;
        self.column(at.column)?;
        let first = self.luns[self.selected].load;
        let Some(first) = first else { return Err(Fault::OutOfPlace { command: 0x85 }) };
        if (first.lun, first.plane) != (row.lun, row.plane) {
            return Err(Fault::Planes { first: first.number, second: row.number });
        }
        self.luns[row.lun].load(row, at);
        self.data_after = Some((Parameter::Ccs, now));
        Ok(())
    }

    fn reset(&mut self, lun: usize) {
        self.luns[lun].reset(&mut self.silicon);
        self.data = Data::Nothing;
    }

    fn row(&self, number: u32) -> Result<Row, Fault> {
        self.config().rows.split(number).ok_or(Fault::NoSuchRow { row: number })
    }

    fn column(&self, column: usize) -> Refusal {
        let bytes = self.config().page_bytes();
        if column >= bytes {
            return Err(Fault::BeyondEnd { column, bytes });
        }
        if self.config().interface == Interface::Ddr && column % 2 == 1 {
            return Err(Fault::OddColumn { column });
        }
        Ok(())
    }

    fn ready(&self, now: Instant, lun: usize) -> Refusal {
        let ready = self.luns[lun].is_ready(now) && !self.is_stuck();
        ready.then_some(()).ok_or(Fault::Busy { command: self.command })
    }

    fn array_ready(&self, now: Instant, lun: usize) -> Refusal {
        self.ready(now, lun)?;
        let ready = self.luns[lun].is_array_ready(now);
        ready.then_some(()).ok_or(Fault::Busy { command: self.command })
    }

    /// Behind a cache read only cache reads, and planes for them, may come.
    fn ready_to_read(&self, now: Instant, lun: usize, confirm: Confirm) -> Refusal {
        let of_cache = matches!(confirm, Confirm::Cache | Confirm::Plane);
        if of_cache && self.luns[lun].ahead == Ahead::Read {
            return self.ready(now, lun);
        }
        self.array_ready(now, lun)
    }

    /// Behind a cache program only programs may come.
    fn ready_to_program(&self, now: Instant, lun: usize) -> Refusal {
        if self.luns[lun].ahead == Ahead::Program {
            return self.ready(now, lun);
        }
        self.array_ready(now, lun)
    }
}
