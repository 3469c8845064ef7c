// A function's code with all that it imports, as the zip archive that CreateFunction takes: one file, not compressed.

import { crc32 } from "node:zlib";
import { build } from "esbuild";

/** `entry` is a path; the function's handler is `index.handler`. */
export async function packageFunction(entry: string): Promise<Buffer> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    write: false,
    logLevel: "error",
  });
  return zipOf("index.js", Buffer.from(outputFiles[0]?.contents ?? []));
}

function zipOf(fileName: string, data: Buffer): Buffer {
  const name = Buffer.from(fileName);
  // What the entry and the directory say alike: version, flags, method, time, checksum, sizes, lengths.
  const about = Buffer.alloc(26);
  about.writeUInt16LE(20, 0);
  about.writeUInt32LE(crc32(data), 10);
  about.writeUInt32LE(data.length, 14);
  about.writeUInt32LE(data.length, 18);
  about.writeUInt16LE(name.length, 22);
  const entry = Buffer.concat([Buffer.from("PK\x03\x04"), about, name, data]);
  const place = Buffer.alloc(14);
  place.writeUInt32LE((0o100644 << 16) >>> 0, 6);
  const directory = Buffer.concat([Buffer.from("PK\x01\x02"), Buffer.from([20, 3]), about, place, name]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(entry.length, 12);
  return Buffer.concat([entry, directory, Buffer.from("PK\x05\x06"), end]);
}
