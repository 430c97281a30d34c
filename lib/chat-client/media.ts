import type { File, HostedPicture, OneFile, Preview } from "../contract/media-answers.ts";
import type { FileQuery } from "../contract/media-operations.ts";
import { type Call, type CallOptions, withQuery } from "./request.ts";
import type { ChatSession } from "./session.ts";

const TRANSFER_TIMEOUT_MS = 300_000;

type Size = FileQuery["size"];
type UploadOptions = CallOptions & { name: string; onProgress?: (part: number) => void };

const upload = (file: Blob, name: string, given: CallOptions): Call => ({
  ...given,
  method: "POST",
  file,
  query: { name },
  timeoutMs: TRANSFER_TIMEOUT_MS,
});

const download = (given: CallOptions, query: Call["query"]): Call => ({
  ...given,
  answer: "blob",
  query,
  timeoutMs: TRANSFER_TIMEOUT_MS,
});

/** The part of a client that shows and sends pictures and files. */
export function createMedia(session: ChatSession) {
  return {
    files: {
      /** The address of a file of a post; a page of the gateway's own origin needs no token for it. */
      url: (fileId: string, wanted: { size?: Size; download?: boolean } = {}): string =>
        withQuery(`${session.baseUrl}/api/chat/files/${encodeURIComponent(fileId)}`, {
          size: wanted.size,
          download: wanted.download ? "true" : undefined,
        }),
      /** The bytes of a file of a post, where they are not shown by their address. @throws ChatError `not_found` */
      read: (fileId: string, { size, ...given }: CallOptions & { size?: Size } = {}): Promise<Blob> =>
        session.call(`/files/${encodeURIComponent(fileId)}`, download(given, { size })),
      /**
       * Sends a picture to a channel, whose posts can have its id in `fileIds` then; at most 10 MiB.
       * @throws ChatError `payload_too_large`, `unsupported_media_type`, `forbidden`
       */
      async upload(channelId: string, file: Blob, { name, ...given }: UploadOptions): Promise<File> {
        const path = `/channels/${encodeURIComponent(channelId)}/files`;
        return (await session.call<OneFile>(path, upload(file, name, given))).file;
      },
    },

    pictures: {
      /**
       * Sends a picture for a message of a public channel to the operator's image host; the address goes into the message.
       * @throws ChatError `payload_too_large`, `unsupported_media_type`, `forbidden`, `image_host_unavailable`
       */
      upload: (channelId: string, file: Blob, { name, ...given }: UploadOptions): Promise<HostedPicture> =>
        session.call(`/channels/${encodeURIComponent(channelId)}/pictures`, upload(file, name, given)),
      /** The address of a picture in a message, for `<img>` in a page of the gateway's own origin; elsewhere `read` it. */
      url: (address: string): string => withQuery(`${session.baseUrl}/api/chat/pictures`, { url: address }),
      /** The bytes of a picture in a message, through the gateway. @throws ChatError `not_found` where none can be shown */
      read: (address: string, given: CallOptions = {}): Promise<Blob> =>
        session.call("/pictures", download(given, { url: address })),
    },

    previews: {
      /** What is behind a link: a post on the chain, or a page. @throws ChatError `not_found` where nothing can be shown */
      read: (address: string, given: CallOptions = {}): Promise<Preview> =>
        session.call("/previews", { ...given, query: { url: address } }),
    },
  };
}
