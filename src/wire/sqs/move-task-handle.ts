// A move task's handle: base64 of a small JSON object with the task's id and its source, as on AWS, so that a cancel
// finds the source queue without a directory of tasks.

export interface MoveTaskHandle {
  taskId: string;
  sourceArn: string;
}

export function encodeMoveTaskHandle({ taskId, sourceArn }: MoveTaskHandle): string {
  return Buffer.from(JSON.stringify({ taskId, sourceArn })).toString("base64");
}

/** Undefined for anything that this file did not write. */
export function decodeMoveTaskHandle(handle: string): MoveTaskHandle | undefined {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(handle, "base64").toString("utf8"));
    if (typeof decoded !== "object" || decoded === null) return undefined;
    const { taskId, sourceArn } = decoded as Partial<Record<string, unknown>>;
    if (typeof taskId !== "string" || typeof sourceArn !== "string") return undefined;
    return { taskId, sourceArn };
  } catch {
    return undefined;
  }
}
