//! Hardware that takes everything and never has anything to say.

use contract::{
    BufferId, ChannelStatus, Coalescing, CommandTag, Completion, CompletionQueue, DmaProgress,
    DmaRequest, FlashOutcome, FlashRequest, Hardware, HostEvent, Instant, InterruptCoalescing,
    Metadata, Pass, PhaseChannels, QueueWeights, SubmissionQueue, Work,
};

/// A body without a host, whose channels are always ready.
pub struct Silence {
    control: [u8; 4096],
}

impl Silence {
    /// With an empty control page.
    pub const fn new() -> Self {
        Silence { control: [0; 4096] }
    }
}

impl Hardware for Silence {
    fn work_times(&mut self, _: Work, _: u32) {}
    fn end_pass(&mut self, _: Pass) {}
    fn now(&mut self) -> Instant {
        Instant::ZERO
    }

    fn host_event(&mut self) -> HostEvent {
        HostEvent::None
    }
    fn set_ready(&mut self, _: bool) {}
    fn set_fatal(&mut self) {}
    fn shutdown_done(&mut self) {}
    fn create_completion_queue(&mut self, _: CompletionQueue) {}
    fn create_submission_queue(&mut self, _: SubmissionQueue) {}
    fn delete_completion_queue(&mut self, _: u16) {}
    fn delete_submission_queue(&mut self, _: u16) -> u32 {
        0
    }
    fn set_queue_weights(&mut self, _: QueueWeights) {}
    fn set_coalescing(&mut self, _: InterruptCoalescing) {}
    fn set_vector_coalescing(&mut self, _: u16, _: Coalescing) {}
    fn issue_dma(&mut self, _: DmaRequest) {}
    fn dma_progress(&mut self) -> DmaProgress {
        DmaProgress { from_host: 0, to_host: 0, fault: false }
    }
    fn dma_fault(&mut self, _: CommandTag) -> bool {
        false
    }
    fn complete(&mut self, _: Completion) {}

    fn factory_bad(&mut self, _: u8, _: u8, _: u32) -> bool {
        false
    }
    fn zero_buffer(&mut self, _: BufferId, _: u32, _: u32) {}
    fn equal_buffers(&mut self, _: BufferId, _: BufferId, _: u32, _: u32) -> bool {
        true
    }
    fn copy_buffer(&mut self, _: BufferId, _: BufferId, _: u32, _: u32) {}
    fn set_metadata(&mut self, _: BufferId, _: Metadata) {}
    fn metadata(&mut self, _: BufferId) -> Option<&Metadata> {
        None
    }
    fn control_page(&mut self) -> &mut [u8; 4096] {
        &mut self.control
    }
}

impl PhaseChannels for Silence {
    fn poll_channels(&mut self, channels: &mut u64, _: u64) -> Option<(u8, ChannelStatus)> {
        let nth = channels.trailing_zeros();
        *channels &= channels.checked_sub(1)?;
        Some((nth as u8, ChannelStatus { ready: u64::MAX, responses: 0, room: 1 }))
    }
    fn issue_flash(&mut self, _: FlashRequest) {}
    fn take_response(&mut self, _: u8, _: u8) -> FlashOutcome {
        FlashOutcome::Success { corrected_bits: 0, most_bits: 0 }
    }
}
