import { z } from "zod";
import { type MattermostCaller, path, type StreamedAnswer } from "./mattermost.ts";

/** A file; unused fields pass through. */
export const FileInfo = z.looseObject({
  id: z.string(),
  name: z.string(),
  extension: z.string().default(""),
  size: z.number(),
  mime_type: z.string().default(""),
  /** The user that uploaded it. */
  user_id: z.string().optional(),
  /** Absent until the file is attached to a post. */
  post_id: z.string().optional(),
});
export type FileInfo = z.infer<typeof FileInfo>;

const Uploaded = z.object({ file_infos: z.array(FileInfo).min(1) });

/** Maximum duration of one file's transfer, in either direction. */
const TRANSFER_MS = 300_000;

/** The file itself, or a small picture of it. */
export type FileSize = "whole" | "preview" | "thumbnail";

/**
 * Streams a file that the caller can read. @throws CodedError `not_found`, `forbidden`,
 * `range_not_satisfiable`
 */
export function streamFile(
  caller: MattermostCaller,
  fileId: string,
  size: FileSize,
  headers: Record<string, string>,
): Promise<StreamedAnswer> {
  const of = {
    whole: path`/files/${fileId}`,
    preview: path`/files/${fileId}/preview`,
    thumbnail: path`/files/${fileId}/thumbnail`,
  };
  return caller.stream(of[size], headers, { bodyTimeoutMs: TRANSFER_MS });
}

/** Describes a file that the caller can read. @throws CodedError `not_found`, `forbidden` */
export function readFileInfo(caller: MattermostCaller, fileId: string): Promise<FileInfo> {
  return caller.call("GET", path`/files/${fileId}/info`, FileInfo);
}

/** Uploads a file to a channel, for the caller to attach to a post there. @throws CodedError */
export async function sendFile(
  caller: MattermostCaller,
  channelId: string,
  file: { name: string; type: string; bytes: Uint8Array },
): Promise<FileInfo> {
  const query = new URLSearchParams({ channel_id: channelId, filename: file.name });
  const answer = await caller.send(
    `/files?${query}`,
    Uploaded,
    { "content-type": file.type },
    file.bytes,
    TRANSFER_MS,
  );
  return FileInfo.parse(answer.file_infos[0]);
}
