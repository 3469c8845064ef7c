// A shard's answer to one command: refused with nothing recorded, or accepted with the facts given to `record`,
// which applies each at once. Deciding only reads the state. The host has set the time (a TimeAdvanced fact) before.

import { unreachable } from "../base/assert.ts";
import type { Result } from "../base/result.ts";
import type { EntryResult, SentMessage } from "./command.ts";
import { decideClosePartition, decideConfigurePartition, decidePurge } from "./queue/lifecycle.ts";
import { decideMoveBodies } from "./queue/live-bodies.ts";
import { decideCancelMoveTask, decideStartMoveTask, decideStepMoveTask } from "./queue/move-task.ts";
import { decideReceive, type Handout } from "./queue/receive.ts";
import { decideSend } from "./queue/send.ts";
import { decideAcceptTransfers, decideForward, decideSettleTransfer } from "./queue/transfer.ts";
import { decideChangeVisibility, decideDelete } from "./queue/visibility.ts";
import { queueDoesNotExist, type Refusal } from "./refusal.ts";
import type { Recorder, ShardCommand, ShardCommandKind, ShardCommandOf, ShardState } from "./state.ts";
import { decidePublish, decideRepublish, type Published } from "./topic/fan-out.ts";

export interface ShardAnswers {
  configurePartition: null;
  closePartition: null;
  sendMessages: { entries: EntryResult<SentMessage>[] };
  receiveMessages: Handout;
  deleteMessages: { entries: EntryResult<null>[] };
  changeVisibility: { entries: EntryResult<null>[] };
  purgeQueue: null;
  acceptTransfers: { acceptedUpTo: number };
  settleTransfer: null;
  startMoveTask: null;
  stepMoveTask: { taken: number };
  cancelMoveTask: { movedCount: number };
  publish: Published;
  republish: null;
  forwardMessages: null;
  moveBodies: null;
}

export type ShardResult<Kind extends ShardCommandKind = ShardCommandKind> = Result<ShardAnswers[Kind], Refusal>;

export function decide<Kind extends ShardCommandKind>(
  state: ShardState,
  command: ShardCommandOf<Kind>,
  record: Recorder,
): ShardResult<Kind> {
  return decideAny(state, command as ShardCommand, record) as ShardResult<Kind>;
}

function decideAny(state: ShardState, command: ShardCommand, record: Recorder): ShardResult {
  // The queue may have been deleted between the look-up and now.
  if (needsPartition(command) && !state.partitions.has(command.partition)) {
    return { ok: false, refusal: queueDoesNotExist() };
  }
  switch (command.kind) {
    case "sendMessages":
      return decideSend(state, command, record);
    case "receiveMessages":
      return decideReceive(state, command, record);
    case "deleteMessages":
      return decideDelete(state, command, record);
    case "changeVisibility":
      return decideChangeVisibility(state, command, record);
    case "purgeQueue":
      return decidePurge(state, command, record);
    case "configurePartition":
      return decideConfigurePartition(state, command, record);
    case "closePartition":
      return decideClosePartition(state, command, record);
    case "acceptTransfers":
      return decideAcceptTransfers(state, command, record);
    case "settleTransfer":
      return decideSettleTransfer(state, command, record);
    case "startMoveTask":
      return decideStartMoveTask(state, command, record);
    case "stepMoveTask":
      return decideStepMoveTask(state, command, record);
    case "cancelMoveTask":
      return decideCancelMoveTask(state, command, record);
    case "publish":
      return decidePublish(state, command, record);
    case "republish":
      return decideRepublish(state, command, record);
    case "forwardMessages":
      return decideForward(state, command, record);
    case "moveBodies":
      return decideMoveBodies(state, command, record);
    default:
      return unreachable(command);
  }
}

function needsPartition(command: ShardCommand): command is Extract<ShardCommand, { partition: number }> {
  return "partition" in command && command.kind !== "configurePartition" && command.kind !== "closePartition";
}
