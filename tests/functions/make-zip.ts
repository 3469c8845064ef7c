// Writes zip archives, honest and otherwise, for tests of the reader.

import { crc32, deflateRawSync } from "node:zlib";

export interface ZipFile {
  path: string;
  text?: string;
  /** A symbolic link to here. */
  linkTo?: string;
  isExecutable?: boolean;
  stored?: boolean;
  /** What the archive claims, where that is not the truth. */
  claimedBytes?: number;
  claimedChecksum?: number;
}

export function makeZip(files: readonly ZipFile[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const data = Buffer.from(file.linkTo ?? file.text ?? "");
    const packed = file.stored ? data : deflateRawSync(data);
    const name = Buffer.from(file.path);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(file.stored ? 0 : 8, 4);
    shared.writeUInt32LE(file.claimedChecksum ?? crc32(data), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(file.claimedBytes ?? data.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([signature(0x04034b50), shared, name, packed]);
    const tail = Buffer.alloc(14);
    const mode = file.linkTo !== undefined ? 0o120777 : file.isExecutable ? 0o100755 : 0o100644;
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([signature(0x02014b50), Buffer.from([20, 3]), shared, tail, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, signature(0x06054b50), end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
