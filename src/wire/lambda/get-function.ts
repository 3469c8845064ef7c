// GetFunction and GetFunctionConfiguration. The code is fetched from the admin API, where AWS shows a link into S3.

import { configurationOf } from "./describe-function.ts";
import { functionOf } from "./function-of.ts";
import { ask, operation } from "./operation.ts";

export const getFunction = operation("GetFunction", (input, call) => {
  const named = functionOf(input.FunctionName, call, input.Qualifier);
  if (!named.ok) return named;
  const base = call.urlBase();
  return ask({ kind: "getFunction", ...named.value }, (found) => {
    const { record, version, qualifier } = found;
    const { account, region, name } = record.function;
    const which = qualifier === undefined ? "" : `?qualifier=${encodeURIComponent(version.version)}`;
    const reserved = record.reservedConcurrency;
    return {
      Configuration: configurationOf(found),
      Code: {
        RepositoryType: "S3",
        Location: `${base}/_millpond/functions/${account}/${region}/${name}/code${which}`,
      },
      Tags: Object.keys(record.tags).length === 0 ? undefined : record.tags,
      Concurrency: reserved === undefined ? undefined : { ReservedConcurrentExecutions: reserved },
    };
  });
});

export const getFunctionConfiguration = operation("GetFunctionConfiguration", (input, call) => {
  const named = functionOf(input.FunctionName, call, input.Qualifier);
  return named.ok ? ask({ kind: "getFunction", ...named.value }, configurationOf) : named;
});

/** Code is not signed here. Terraform asks for it with every function that it made. */
export const getFunctionCodeSigningConfig = operation("GetFunctionCodeSigningConfig", (input, call) => {
  const named = functionOf(input.FunctionName, call);
  if (!named.ok) return named;
  return ask({ kind: "getFunction", ...named.value }, ({ record }) => ({
    CodeSigningConfigArn: "",
    FunctionName: record.function.name,
  }));
});
