// Reads zip archives as Lambda takes them: stored or deflated entries, no encryption, no 64-bit sizes (the archive is
// at most 50 MB). The central directory is the authority; every offset, size and checksum in it is checked, and
// nothing is inflated beyond the size it promised.

import { promisify } from "node:util";
import { crc32, inflateRaw } from "node:zlib";

export interface ZipEntry {
  /** As in the archive, with forward slashes; a folder ends with one. Not checked for where it leads. */
  path: string;
  isFolder: boolean;
  isLink: boolean;
  isExecutable: boolean;
  /** Unpacked. */
  bytes: number;
  read(): Promise<Buffer>;
}

export class ZipDamaged extends Error {}

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAG = 1;
const UNIX = 3;
const UNIX_TYPE_MASK = 0o170000;
const UNIX_LINK = 0o120000;
const UNIX_EXECUTABLE = 0o111;
const SIZE_64_BIT = 0xffffffff;

const inflate = promisify(inflateRaw);

/** Throws ZipDamaged, saying where. Reads no entry's bytes yet. */
export function readZip(archive: Uint8Array): ZipEntry[] {
  const zip = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = findEnd(zip);
  const entryCount = zip.readUInt16LE(end + 10);
  const entries: ZipEntry[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let index = 0; index < entryCount; index++) {
    const nameBytes = need(zip, at, CENTRAL_BYTES, CENTRAL_SIGNATURE) && zip.readUInt16LE(at + 28);
    const followBytes = nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
    if (at + CENTRAL_BYTES + followBytes > end) throw new ZipDamaged(`the directory entry at ${at} is cut off`);
    entries.push(readEntry(zip, at, zip.toString("utf8", at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes)));
    at += CENTRAL_BYTES + followBytes;
  }
  return entries;
}

function findEnd(zip: Buffer): number {
  for (let at = zip.length - END_BYTES; at >= Math.max(0, zip.length - END_BYTES - COMMENT_BYTES_MAX); at--) {
    if (zip.readUInt32LE(at) === END_SIGNATURE && at + END_BYTES + zip.readUInt16LE(at + 20) === zip.length) return at;
  }
  throw new ZipDamaged("it has no end of central directory");
}

function readEntry(zip: Buffer, at: number, path: string): ZipEntry {
  const flags = zip.readUInt16LE(at + 8);
  const method = zip.readUInt16LE(at + 10);
  const checksum = zip.readUInt32LE(at + 16);
  const packedBytes = zip.readUInt32LE(at + 20);
  const bytes = zip.readUInt32LE(at + 24);
  const isUnix = zip.readUInt8(at + 5) === UNIX;
  const unixMode = isUnix ? zip.readUInt16LE(at + 40) : 0;
  const localAt = zip.readUInt32LE(at + 42);
  if ((flags & ENCRYPTED_FLAG) !== 0) throw new ZipDamaged(`${path} is encrypted`);
  if (method !== STORED && method !== DEFLATED) throw new ZipDamaged(`${path} is packed by unknown method ${method}`);
  if ([packedBytes, bytes, localAt].includes(SIZE_64_BIT)) throw new ZipDamaged(`${path} has 64-bit sizes`);
  return {
    path,
    isFolder: path.endsWith("/"),
    isLink: (unixMode & UNIX_TYPE_MASK) === UNIX_LINK,
    isExecutable: (unixMode & UNIX_EXECUTABLE) !== 0,
    bytes,
    async read() {
      need(zip, localAt, LOCAL_BYTES, LOCAL_SIGNATURE);
      const dataAt = localAt + LOCAL_BYTES + zip.readUInt16LE(localAt + 26) + zip.readUInt16LE(localAt + 28);
      if (dataAt + packedBytes > zip.length) throw new ZipDamaged(`the data of ${path} is cut off`);
      const packed = zip.subarray(dataAt, dataAt + packedBytes);
      const data = method === STORED ? packed : await inflateTo(packed, bytes, path);
      if (data.length !== bytes) throw new ZipDamaged(`${path} has ${data.length} bytes where ${bytes} are promised`);
      if (crc32(data) !== checksum) throw new ZipDamaged(`${path} does not have its checksum`);
      return data;
    },
  };
}

async function inflateTo(packed: Buffer, bytes: number, path: string): Promise<Buffer> {
  try {
    // One more than promised, so that too many is told from just enough; zlib wants at least 1.
    return (await inflate(packed, { maxOutputLength: bytes + 1 })) as Buffer;
  } catch (error) {
    throw new ZipDamaged(`${path} cannot be unpacked: ${(error as Error).message}`);
  }
}

function need(zip: Buffer, at: number, bytes: number, signature: number): true {
  if (at + bytes > zip.length || zip.readUInt32LE(at) !== signature) throw new ZipDamaged(`there is no entry at ${at}`);
  return true;
}
