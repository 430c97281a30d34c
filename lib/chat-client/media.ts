import type { FileQuery } from "../contract/media-operations.ts";
import type { File, HostedPicture, Preview } from "./answers.ts";
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

/** Creates the part of a client that displays and uploads pictures and files. */
export function createMedia(session: ChatSession) {
  return {
    files: {
      /** Returns the address of a post's file; pages of the gateway's own origin need no token for it. */
      url: (fileId: string, wanted: { size?: Size; download?: boolean } = {}): string =>
        withQuery(`${session.baseUrl}/api/chat/files/${encodeURIComponent(fileId)}`, {
          size: wanted.size,
          download: wanted.download ? "true" : undefined,
        }),
      /** Reads a post's file, if its address cannot be used directly. @throws ChatError `not_found` */
      read: (fileId: string, { size, ...given }: CallOptions & { size?: Size } = {}): Promise<Blob> =>
        session.call(`/files/${encodeURIComponent(fileId)}`, download(given, { size })),
      /**
       * Uploads a picture to a channel, up to 10 MiB, for the `fileIds` of a post there.
       * @throws ChatError `payload_too_large`, `unsupported_media_type`, `forbidden`
       */
      async upload(channelId: string, file: Blob, { name, ...given }: UploadOptions): Promise<File> {
        const path = `/channels/${encodeURIComponent(channelId)}/files`;
        return (await session.call<{ file: File }>(path, upload(file, name, given))).file;
      },
    },

    pictures: {
      /**
       * Uploads a picture for a message of a public channel to the operator's image host; put its address into the
       * message.
       * @throws ChatError `payload_too_large`, `unsupported_media_type`, `forbidden`, `image_host_unavailable`
       */
      upload: (channelId: string, file: Blob, { name, ...given }: UploadOptions): Promise<HostedPicture> =>
        session.call(`/channels/${encodeURIComponent(channelId)}/pictures`, upload(file, name, given)),
      /**
       * Returns the address of a message's picture for an `<img>` in pages of the gateway's own origin;
       * elsewhere, use `read`.
       */
      url: (address: string): string => withQuery(`${session.baseUrl}/api/chat/pictures`, { url: address }),
      /** Reads a message's picture through the gateway. @throws ChatError `not_found` if it cannot be shown */
      read: (address: string, given: CallOptions = {}): Promise<Blob> =>
        session.call("/pictures", download(given, { url: address })),
    },

    previews: {
      /**
       * Returns the preview of a link: a post on the chain, or a page. @throws ChatError `not_found` if there is none
       */
      read: (address: string, given: CallOptions = {}): Promise<Preview> =>
        session.call("/previews", { ...given, query: { url: address } }),
    },
  };
}
