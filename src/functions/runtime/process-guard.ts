// Sees to it that no process of a function outlives the server, even when the server is killed without a chance to
// tidy up: a small shell in a session of its own holds a pipe from us and the list of process groups. When the pipe
// ends, it ends the groups. A child may be busy in a loop, or be a program that never looks at its connection; the
// group takes along whatever the child itself started.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";

const SCRIPT = `trap '' INT TERM HUP
groups=' '
while read -r sign group; do
  case $sign in
    add) groups="$groups$group " ;;
    drop) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
for group in $groups; do kill -9 -"$group" 2>/dev/null; done`;

export class ProcessGuard {
  #shell: ChildProcess | undefined;

  /** `groupId` is the pid of a process that leads its group. */
  add(groupId: number): void {
    this.#say(`add ${groupId}\n`);
  }

  drop(groupId: number): void {
    this.#say(`drop ${groupId}\n`);
  }

  /** Ends the shell. Groups that are still on its list are killed. */
  close(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  #say(line: string): void {
    if (this.#shell === undefined) this.#start();
    this.#shell?.stdin?.write(line);
  }

  /** Without a shell (there is one on every system that has process groups) we do what we can without it. */
  #start(): void {
    const shell = spawn("/bin/sh", ["-c", SCRIPT, "millpond-process-guard"], {
      detached: true,
      cwd: "/",
      stdio: ["pipe", "ignore", "ignore"],
    });
    shell.on("error", () => {});
    shell.stdin.on("error", () => {});
    // Neither the shell nor its pipe keeps the server alive.
    shell.unref();
    (shell.stdin as unknown as { unref(): void }).unref();
    this.#shell = shell;
  }
}
