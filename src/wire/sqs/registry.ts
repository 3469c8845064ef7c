// SQS's operations, all of them, each in a file of its own.

import type { Operation } from "../protocol/operation.ts";
import { operationsByName } from "../protocol/service.ts";
import { addPermission } from "./add-permission.ts";
import { cancelMessageMoveTask } from "./cancel-message-move-task.ts";
import { changeMessageVisibility } from "./change-message-visibility.ts";
import { changeMessageVisibilityBatch } from "./change-message-visibility-batch.ts";
import { createQueue } from "./create-queue.ts";
import { deleteMessage } from "./delete-message.ts";
import { deleteMessageBatch } from "./delete-message-batch.ts";
import { deleteQueue } from "./delete-queue.ts";
import { getQueueAttributes } from "./get-queue-attributes.ts";
import { getQueueUrl } from "./get-queue-url.ts";
import { listDeadLetterSourceQueues } from "./list-dead-letter-source-queues.ts";
import { listMessageMoveTasks } from "./list-message-move-tasks.ts";
import { listQueueTags } from "./list-queue-tags.ts";
import { listQueues } from "./list-queues.ts";
import type { OperationName } from "./operation.ts";
import { purgeQueue } from "./purge-queue.ts";
import { receiveMessage } from "./receive-message.ts";
import { removePermission } from "./remove-permission.ts";
import { sendMessage } from "./send-message.ts";
import { sendMessageBatch } from "./send-message-batch.ts";
import { setQueueAttributes } from "./set-queue-attributes.ts";
import { startMessageMoveTask } from "./start-message-move-task.ts";
import { tagQueue } from "./tag-queue.ts";
import { untagQueue } from "./untag-queue.ts";

const everyOperation: Record<OperationName, Operation> = {
  // Queues
  CreateQueue: createQueue,
  DeleteQueue: deleteQueue,
  PurgeQueue: purgeQueue,
  GetQueueUrl: getQueueUrl,
  ListQueues: listQueues,
  GetQueueAttributes: getQueueAttributes,
  SetQueueAttributes: setQueueAttributes,
  TagQueue: tagQueue,
  UntagQueue: untagQueue,
  ListQueueTags: listQueueTags,
  AddPermission: addPermission,
  RemovePermission: removePermission,

  // Messages
  SendMessage: sendMessage,
  SendMessageBatch: sendMessageBatch,
  ReceiveMessage: receiveMessage,
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: deleteMessageBatch,
  ChangeMessageVisibility: changeMessageVisibility,
  ChangeMessageVisibilityBatch: changeMessageVisibilityBatch,

  // Dead letters
  ListDeadLetterSourceQueues: listDeadLetterSourceQueues,
  StartMessageMoveTask: startMessageMoveTask,
  ListMessageMoveTasks: listMessageMoveTasks,
  CancelMessageMoveTask: cancelMessageMoveTask,
};

export const sqsOperations = operationsByName(everyOperation);
