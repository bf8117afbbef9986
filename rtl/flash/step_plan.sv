// SPDX-License-Identifier: Apache-2.0

// What a way does next, and where it stands when that was done.
//
// Contract: `state_i` is where the way stands; in PhaseIdle it also holds the group to begin with.
// `operation_i` and the two inputs after it are of the request that the step is about. `cache_i`:
// the requests behind the current group are one that may follow it in cache mode. `fail_i`: the
// operation is given up. `refuse_i`: its requests do not fit together. `return_i`: the request is given back. `plan_o` is the step,
// `rank_o` what the arbiter has to know of it, `after_o` where the way stands behind it.
// Latency: one cycle, in which the inputs stay.
// Reason: one function of little state for all operations, shared by all ways. Every choice is made
// anew until its step goes out, so that requests that come meanwhile still count.
module step_plan
  import fm_flash_pkg::*;
  import fm_scheduler_pkg::*;
(
    input  logic       clk_i,
    input  way_state_t state_i,
    input  operation_e operation_i,
    input  logic       first_lun_i,
    input  logic       at_column_0_i,
    input  logic       cache_i,
    input  logic       fail_i,
    input  logic       refuse_i,
    input  logic       return_i,
    input  logic       jedec_i,
    output plan_t      plan_o,
    output rank_t      rank_o,
    output way_state_t after_o
);

  typedef enum logic [2:0] {
    Fail,       // a request completes without a step
    Single,     // a request that is one step
    Trigger,    // the next request of the current group
    EndCache,   // data of the last group go to the cache register
    Drain,      // data of a request of the older group
    Status      // status of a request of the older group
  } action_e;

  action_e action_d, action_q;
  logic [2:0] older_d, older_q, current_d, current_q, issued_d, issued_q, left_d, left_q;
  logic idle, last_q, many, three, latest_q;

  assign idle  = state_i.phase == PhaseIdle;
  assign three = operation_i == ProgramOneShot;
  assign many  = (state_i.planes & (state_i.planes - 1'b1)) != '0;

  always_comb begin
    unique case (state_i.phase)
      PhaseIdle: action_d = is_whole(operation_i) ? Trigger : Single;
      PhaseBorder: action_d = cache_i ? Trigger : state_i.cached ? EndCache : Drain;
      PhaseDrain: action_d = Drain;
      PhaseStatus: action_d = Status;
      PhaseFail: action_d = Fail;
      default: action_d = Trigger;
    endcase
    if (fail_i || refuse_i || return_i) action_d = Fail;
  end

  // At the border the current group becomes the older one.
  always_comb begin
    older_d   = state_i.older;
    current_d = state_i.current;
    issued_d  = state_i.issued;
    if (state_i.phase == PhaseBorder) begin
      older_d   = state_i.current;
      current_d = cache_i ? state_i.current : '0;
      issued_d  = '0;
    end
    left_d = idle ? 3'd1 : state_i.older + (three ? state_i.current : state_i.issued);
  end

  always_ff @(posedge clk_i) begin
    action_q <= action_d;
    older_q <= older_d;
    current_q <= current_d;
    issued_q <= issued_d;
    left_q <= left_d;
    last_q <= issued_d + 1'b1 == current_d;
    // The older group has one request left, and no other is behind it.
    latest_q <= older_d == 3'd1 && current_d == '0;
  end

  // The command that sends a request of a group to the chip.
  function automatic operation_e trigger_command();
    unique case (operation_i)
      Read: return !last_q ? ReadMultiPlane : older_q != '0 ? ReadCacheRandom : ReadTrigger;
      Program: return !last_q ? ProgramMultiPlane : cache_i ? ProgramCache : ProgramPage;
      ProgramOneShot: return last_q ? ProgramPage : ProgramPart;
      Erase: return last_q ? EraseBlock : jedec_i ? EraseMultiPlaneJedec : EraseMultiPlaneOnfi;
      ReadParameterPage: return ParameterPageTrigger;
      ReadUniqueId: return UniqueIdTrigger;
      GetFeatures: return FeaturesTrigger;
      default: return FeaturesLunTrigger;
    endcase
  endfunction

  // The command that brings the data of a request. In cache mode, data begin at column 0.
  function automatic operation_e drain_command();
    if (operation_i inside {GetFeatures, GetFeaturesLun}) return FeaturesTransfer;
    if (many) return jedec_i ? ChangeReadColumnJedec : ChangeReadColumnOnfi;
    return state_i.cached && !at_column_0_i ? ChangeReadColumn : ReadTransfer;
  endfunction

  always_comb begin
    plan_o = '0;
    plan_o.form.operation = operation_i;
    plan_o.book.urgent = state_i.urgent;
    plan_o.book.starts = idle;
    plan_o.form.raw = operation_i inside {ReadId, ReadParameterPage, ReadUniqueId};
    unique case (action_q)
      Single: begin
        plan_o.form.closes = 1'b1;
        plan_o.book.ends = 1'b1;
        if (operation_i[6:5] == GroupStatus) plan_o.form.verdict = VerdictAsked;
      end
      Trigger: begin
        plan_o.form.operation = trigger_command();
        plan_o.offset = older_q + issued_q;
        plan_o.form.next_plane = operation_i == Program && jedec_i && issued_q != '0;
        plan_o.book.triple = three;
      end
      EndCache: plan_o.form.operation = ReadCacheLast;
      Drain: begin
        plan_o.form.operation = drain_command();
        plan_o.form.closes = 1'b1;
        plan_o.book.ends = latest_q;
      end
      Status: begin
        plan_o.form.operation = many || !first_lun_i ? ReadStatusEnhanced : ReadStatus;
        plan_o.form.closes = 1'b1;
        plan_o.book.ends = latest_q;
        plan_o.form.verdict = current_q != '0 ? VerdictBefore : VerdictLast;
      end
      default: begin
        plan_o.form.off_bus = 1'b1;
        plan_o.form.refused = refuse_i && !fail_i && !return_i;
        plan_o.form.returned = return_i;
        plan_o.form.closes = 1'b1;
        plan_o.book.ends = left_q == 3'd1;
      end
    endcase
  end

  always_comb begin
    rank_o.needs_ready = action_q == Single ? !works_when_busy(operation_i) : action_q != Fail;
    rank_o.data = plan_o.form.operation[6] && action_q != Fail;
    // A completion alone takes neither the bus nor the way.
    rank_o.urgent = state_i.urgent || action_q == Fail;
    rank_o.starts = idle;
    rank_o.later = !idle && action_q != Trigger;
  end

  always_comb begin
    after_o = state_i;
    after_o.older = older_q;
    after_o.current = current_q;
    after_o.issued = issued_q;
    unique case (action_q)
      Trigger: begin
        after_o.issued = issued_q + 1'b1;
        after_o.phase  = PhaseTrigger;
        after_o.cached = state_i.cached || older_q != '0;
        if (last_q) begin
          unique case (operation_i)
            Read: after_o.phase = older_q != '0 ? PhaseDrain : PhaseBorder;
            Program, Erase, ProgramOneShot: begin
              after_o.more = operation_i == Program && cache_i;
              after_o.phase = PhaseStatus;
              if (older_q == '0) begin
                after_o.older   = current_q;
                after_o.current = after_o.more ? current_q : '0;
                after_o.issued  = '0;
                if (after_o.more) after_o.phase = PhaseTrigger;
              end
            end
            default: begin
              after_o.phase = PhaseDrain;
              after_o.older = current_q;
              after_o.current = '0;
              after_o.issued = '0;
            end
          endcase
        end
      end
      EndCache: after_o.phase = PhaseDrain;
      Drain: begin
        after_o.older = older_q - 1'b1;
        after_o.phase = PhaseDrain;
        if (older_q == 3'd1) after_o.phase = current_q != '0 ? PhaseBorder : PhaseIdle;
      end
      Status: begin
        after_o.older = older_q - 1'b1;
        if (older_q == 3'd1) begin
          after_o.older = current_q;
          after_o.current = state_i.more ? current_q : '0;
          after_o.issued = '0;
          after_o.phase = state_i.more ? PhaseTrigger : current_q != '0 ? PhaseStatus : PhaseIdle;
        end
      end
      Fail: begin
        after_o.older = left_q - 1'b1;
        after_o.current = '0;
        after_o.issued = '0;
        after_o.phase = left_q == 3'd1 ? PhaseIdle : PhaseFail;
      end
      default: after_o.phase = PhaseIdle;
    endcase
  end

endmodule
