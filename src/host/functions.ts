// Functions and event source mappings: the catalog (shard 0) decides, and answers when that is durable; the runner
// (function-runner.ts) is told in the same turn. Without a runner nothing runs, and mappings have nobody to wait for.

import { unreachable } from "../base/assert.ts";
import { accept, type Result, refuse } from "../base/result.ts";
import type { Outcome } from "../engine/command.ts";
import {
  decideAddFunctionPermission,
  decideCreateAlias,
  decideCreateFunction,
  decideCreateMapping,
  decideDeleteAlias,
  decideDeleteEventInvoke,
  decideDeleteFunction,
  decideDeleteMapping,
  decideMappingFollowed,
  decidePublishVersion,
  decidePutEventInvoke,
  decideRemoveFunctionPermission,
  decideReserveConcurrency,
  decideTagFunction,
  decideTagMapping,
  decideUntagFunction,
  decideUntagMapping,
  decideUpdateAlias,
  decideUpdateFunctionCode,
  decideUpdateFunctionSettings,
  decideUpdateMapping,
  type FunctionCommand,
  type FunctionForm,
  type FunctionRecord,
  functionNotFound,
  type GivenCode,
  getAlias,
  getEventInvoke,
  getFunctionPolicy,
  LATEST,
  listFunctions,
  listMappings,
  type MappingRecord,
  mappingArn,
  type Recorder,
  refuseCreateFunction,
  requireFunction,
  requireMapping,
  requireVersion,
  type ShardState,
  versionOf,
} from "../engine/index.ts";
import { type Refusal, serviceUnavailable } from "../engine/refusal.ts";
import type { FunctionRunner } from "./function-runner.ts";
import type { MillpondHost } from "./start-host.ts";

type CommandOf<Kind extends FunctionCommand["kind"]> = Extract<FunctionCommand, { kind: Kind }>;

export class Functions {
  readonly #host: MillpondHost;
  #runner: FunctionRunner | undefined;

  constructor(host: MillpondHost) {
    this.#host = host;
  }

  runWith(runner: FunctionRunner): void {
    this.#runner = runner;
    this.start();
  }

  /** At start, and after the catalog was read again or wiped. */
  start(): void {
    if (this.#runner === undefined || this.#host.catalogShard.mode !== "serving") return;
    const { resources } = this.#host.catalog;
    const mappings = [...resources.values("mapping")];
    this.#runner.onCatalog([...resources.values("function")], mappings);
  }

  execute(command: FunctionCommand): Promise<Outcome> {
    switch (command.kind) {
      case "createFunction":
        return this.#create(command);
      case "updateFunctionCode":
        return this.#updateCode(command);
      case "updateFunctionSettings":
        return this.#describe(
          command.function,
          this.#change((state, record) =>
            decideUpdateFunctionSettings(state, { ...command, ...this.#revision() }, record),
          ),
        );
      case "deleteFunction":
        return this.#delete(command);
      case "publishVersion":
        return this.#publish(command);
      case "createAlias": {
        const revisionId = this.#uuid();
        return this.#aliasOf(
          command.name,
          this.#change((state, record) => decideCreateAlias(state, { ...command, revisionId }, record)),
        );
      }
      case "updateAlias": {
        const revisionId = this.#uuid();
        return this.#aliasOf(
          command.name,
          this.#change((state, record) => decideUpdateAlias(state, { ...command, revisionId }, record)),
        );
      }
      case "deleteAlias":
        return this.#nothing(this.#change((state, record) => decideDeleteAlias(state, command, record)));
      case "reserveConcurrency":
        return this.#nothing(this.#change((state, record) => decideReserveConcurrency(state, command, record)));
      case "putEventInvoke":
        return this.#putEventInvoke(command);
      case "deleteEventInvoke":
        return this.#nothing(this.#change((state, record) => decideDeleteEventInvoke(state, command, record)));
      case "addFunctionPermission":
        return this.#addPermission(command);
      case "removeFunctionPermission": {
        const revisionId = this.#uuid();
        return this.#nothing(
          this.#change((state, record) => decideRemoveFunctionPermission(state, { ...command, revisionId }, record)),
        );
      }
      case "tagFunction":
        return this.#nothing(this.#change((state, record) => decideTagFunction(state, command, record)));
      case "untagFunction":
        return this.#nothing(this.#change((state, record) => decideUntagFunction(state, command, record)));
      case "createMapping": {
        const uuid = this.#uuid();
        return this.#changeMapping((state, record) => decideCreateMapping(state, { ...command, uuid }, record));
      }
      case "updateMapping":
        return this.#changeMapping((state, record) => decideUpdateMapping(state, command, record));
      case "deleteMapping":
        return this.#changeMapping((state, record) => decideDeleteMapping(state, command, record));
      case "tagMapping":
        return this.#nothing(this.#decide((state, record) => decideTagMapping(state, command, record)));
      case "untagMapping":
        return this.#nothing(this.#decide((state, record) => decideUntagMapping(state, command, record)));
      case "getFunction":
        return this.#read((state) => {
          const found = requireVersion(state.catalog, command.function, command.qualifier);
          return found.ok ? accept(withQualifier(found.value, command.qualifier)) : found;
        });
      case "getAlias":
        return this.#read((state) => getAlias(state, command));
      case "getEventInvoke":
        return this.#read((state) => getEventInvoke(state, command));
      case "getFunctionPolicy":
        return this.#read((state) => getFunctionPolicy(state, command));
      case "listFunctions":
        return this.#read((state) => listFunctions(state, command));
      case "getMapping":
        return this.#read((state) => requireMapping(state.catalog, command.scope, command.uuid));
      case "listMappings":
        return this.#read((state) => listMappings(state, command));
      case "invokeFunction":
        return this.#invoke(command);
      default:
        return unreachable(command);
    }
  }

  mappingFollowed(arn: string): void {
    const { answer: record } = this.#host.catalog.change((state, record) => decideMappingFollowed(state, arn, record));
    if (record?.state === "Deleting") this.#runner?.onMappingRemoved(record);
  }

  async #create(command: CommandOf<"createFunction">): Promise<Outcome> {
    // A name that is taken is no reason to keep the code.
    const taken = refuseCreateFunction(this.#host.catalogShard.state, command.function);
    if (taken !== undefined) return refuse(taken);
    const form = await this.#keep(command);
    if (!form.ok) return form;
    return this.#describe(
      command.function,
      this.#change((state, record) =>
        decideCreateFunction(state, { ...command, ...this.#revision(), form: form.value }, record),
      ),
    );
  }

  async #updateCode(command: CommandOf<"updateFunctionCode">): Promise<Outcome> {
    const known = requireFunction(this.#host.catalogShard.state.catalog, command.function);
    if (!known.ok) return known;
    const form = await this.#keep(command);
    if (!form.ok) return form;
    return this.#describe(
      command.function,
      this.#change((state, record) =>
        decideUpdateFunctionCode(state, { ...command, ...this.#revision(), form: form.value }, record),
      ),
      command.publish,
    );
  }

  async #keep(code: GivenCode): Promise<Result<FunctionForm, Refusal>> {
    if ("runFrom" in code) return accept(code.runFrom);
    const full = this.#host.refuseSends(this.#host.catalogShard);
    if (full !== undefined) return refuse(full);
    if (this.#runner === undefined) return refuse(noRunner());
    const kept = await this.#runner.keepCode(code.zip);
    return kept.ok ? accept({ is: "zip", ...kept.value }) : kept;
  }

  async #delete(command: CommandOf<"deleteFunction">): Promise<Outcome> {
    const before = this.#host.catalogShard.state.catalog;
    const gone = requireFunction(before, command.function);
    const outcome = await this.#decide(
      (state, record) => decideDeleteFunction(state, command, record),
      (left) => {
        if (left !== undefined) this.#runner?.onFunctionChanged(left);
        else if (gone.ok) this.#runner?.onFunctionRemoved(gone.value);
      },
    );
    return outcome.ok ? accept(null) : outcome;
  }

  async #publish(command: CommandOf<"publishVersion">): Promise<Outcome> {
    const publishedRevisionId = this.#uuid();
    const outcome = await this.#decide(
      (state, record) => decidePublishVersion(state, { ...command, publishedRevisionId }, record),
      ({ record }) => this.#runner?.onFunctionChanged(record),
    );
    return outcome.ok ? accept(withQualifier(outcome.value, outcome.value.version.version)) : outcome;
  }

  async #putEventInvoke(command: CommandOf<"putEventInvoke">): Promise<Outcome> {
    const outcome = await this.#change((state, record) => decidePutEventInvoke(state, command, record));
    if (!outcome.ok) return outcome;
    const config = outcome.value.eventInvokes?.[command.qualifier ?? LATEST];
    return config === undefined ? refuse(functionNotFound(command.function)) : accept(config);
  }

  async #addPermission(command: CommandOf<"addFunctionPermission">): Promise<Outcome> {
    const revisionId = this.#uuid();
    const outcome = await this.#decide(
      (state, record) => decideAddFunctionPermission(state, { ...command, revisionId }, record),
      ({ record }) => this.#runner?.onFunctionChanged(record),
    );
    return outcome.ok ? accept({ statement: outcome.value.statement }) : outcome;
  }

  async #invoke(command: CommandOf<"invokeFunction">): Promise<Outcome> {
    const { function: key, qualifier, how } = command;
    const found = requireVersion(this.#host.catalogShard.state.catalog, key, qualifier ?? LATEST);
    if (!found.ok) return found;
    if (this.#runner === undefined) return refuse(noRunner());
    const { record, version } = found.value;
    if (how === "check") return accept({ payload: new Uint8Array(), executedVersion: version.version });
    return this.#runner.invoke(record, command);
  }

  /** The answer to whoever made or changed a function: $LATEST, or the version that was published with it. */
  async #describe(
    key: FunctionRecord["function"],
    changed: Promise<Result<FunctionRecord, Refusal>>,
    published = false,
  ): Promise<Outcome> {
    const outcome = await changed;
    if (!outcome.ok) return outcome;
    const record = outcome.value;
    const qualifier = published ? record.versions?.at(-1)?.version : undefined;
    const version = versionOf(record, qualifier);
    if (version === undefined) return refuse(functionNotFound(key, qualifier));
    return accept(withQualifier({ record, version }, qualifier));
  }

  async #aliasOf(name: string, changed: Promise<Result<FunctionRecord, Refusal>>): Promise<Outcome> {
    const outcome = await changed;
    if (!outcome.ok) return outcome;
    const alias = outcome.value.aliases?.find((each) => each.name === name);
    return alias === undefined ? refuse(functionNotFound(outcome.value.function, name)) : accept(alias);
  }

  async #nothing(changed: Promise<Result<unknown, Refusal>>): Promise<Outcome> {
    const outcome = await changed;
    return outcome.ok ? accept(null) : outcome;
  }

  #change(
    decision: (state: ShardState, record: Recorder) => Result<FunctionRecord, Refusal>,
  ): Promise<Result<FunctionRecord, Refusal>> {
    return this.#decide(decision, (record) => this.#runner?.onFunctionChanged(record));
  }

  /** The answer shows the transitional state, whether or not it is over by then. */
  #changeMapping(decision: (state: ShardState, record: Recorder) => Result<MappingRecord, Refusal>): Promise<Outcome> {
    return this.#decide(decision, (record) => {
      if (this.#runner === undefined) this.mappingFollowed(mappingArn(record));
      else this.#runner.onMappingChanged(record);
    });
  }

  /** What an accepted decision leads to is recorded in the same turn as the decision. */
  async #decide<Value>(
    decision: (state: ShardState, record: Recorder) => Result<Value, Refusal>,
    then: (value: Value) => void = () => {},
  ): Promise<Result<Value, Refusal>> {
    const shard = this.#host.catalogShard;
    const full = this.#host.refuseSends(shard);
    if (full !== undefined) return refuse(full);
    const { answer, dependsOn } = this.#host.catalog.change(decision);
    if (answer.ok) then(answer.value);
    await this.#host.durable(shard, dependsOn);
    return answer;
  }

  async #read(read: (state: ShardState) => Result<unknown, Refusal>): Promise<Outcome> {
    const shard = this.#host.catalogShard;
    const { answer, dependsOn } = shard.run(read);
    await shard.whenDurable(dependsOn);
    return answer as Outcome;
  }

  #revision(): { revisionId: string; publishedRevisionId: string } {
    return { revisionId: this.#uuid(), publishedRevisionId: this.#uuid() };
  }

  #uuid(): string {
    return this.#host.options.ids.uuid();
  }
}

function withQualifier<Found extends object>(found: Found, qualifier: string | undefined) {
  return qualifier === undefined ? found : { ...found, qualifier };
}

function noRunner(): Refusal {
  return serviceUnavailable("This server runs no functions.");
}
