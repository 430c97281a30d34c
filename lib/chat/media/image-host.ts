import { createHash } from "node:crypto";
import { z } from "zod";
import { readBytes } from "../../async/read-body.ts";
import { createTurns } from "../../async/turns.ts";
import type { Config } from "../../config.ts";
import type { HostedPicture } from "../../contract/media-answers.ts";
import { CodedError } from "../../errors.ts";
import { decodeWif, signDigest } from "../../hive/private-key.ts";
import { log } from "../../log.ts";
import { readChannel } from "../../mattermost/channels.ts";
import { type CallerContext, readOwnId } from "../caller/caller-context.ts";
import { receivePicture, tooLarge } from "./receive-picture.ts";

const AT_ONCE = 4;
const MOST_WAITING = 40;
const TIMEOUT_MS = 30_000;
const LONGEST_ANSWER = 65_536;

type ImageHost = NonNullable<Config["imageHost"]>;

/**
 * Uploads a picture to the operator's image host and returns its address, for use in a message. Private
 * pictures stay in Mattermost, because anyone who has a picture's address at the host can see it.
 * @throws CodedError `not_found`, even without an image host; `forbidden` for a channel that is not public;
 * `unsupported_media_type`, `payload_too_large`, `image_host_unavailable`, `overloaded`
 */
export async function hostPicture(
  context: CallerContext,
  channelId: string,
  wantedName: string,
  request: Request,
): Promise<HostedPicture> {
  const { chat, caller } = context;
  const { imageHost } = chat.config;
  const { type, delete_at } = await readChannel(caller, channelId);
  if (!imageHost)
    throw new CodedError("not_found", { message: "This server uploads no pictures to an image host." });
  if (type !== "O" || delete_at > 0)
    throw new CodedError("forbidden", {
      message: "The image host accepts pictures from public channels only.",
    });
  const turns = chat.own("hosted-pictures", () =>
    createTurns({ places: AT_ONCE, mostWaiting: MOST_WAITING }),
  );
  return receivePicture(context, request, wantedName, async ({ name, type: kind, bytes }) =>
    turns.run(
      { person: await readOwnId(context) },
      async () => ({
        url: await give(imageHost, new File([new Uint8Array(bytes)], name, { type: kind }), bytes),
      }),
      request.signal,
    ),
  );
}

/**
 * Returns the upload address for a picture with these bytes: the host's own, followed by account and signature if
 * required, as Hive's image hosts do.
 */
function addressFor({ url, signer }: ImageHost, bytes: Uint8Array): string {
  if (!signer) return url.reveal();
  const key = decodeWif(signer.key.reveal());
  if (!key) throw new TypeError("IMAGE_UPLOAD_KEY is not a private key");
  const digest = createHash("sha256").update("ImageSigningChallenge").update(bytes).digest();
  return `${url.reveal()}/${signer.account}/${signDigest(digest, key)}`;
}

const Hosted = z.object({ url: z.url({ protocol: /^https?$/ }).max(2048) });

async function give(host: ImageHost, file: File, bytes: Uint8Array): Promise<string> {
  const body = new FormData();
  body.append("file", file);
  let status = 0;
  try {
    const response = await fetch(addressFor(host, bytes), {
      method: "POST",
      body,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    status = response.status;
    if (status === 200) {
      const answer = await readBytes(response.body, LONGEST_ANSWER);
      return new URL(Hosted.parse(JSON.parse(new TextDecoder().decode(answer ?? undefined))).url).href;
    }
    await response.body?.cancel();
  } catch (error) {
    log().warn(
      { status, cause: (error as Error).name },
      "the image host returned no usable answer: see IMAGE_UPLOAD_URL",
    );
    throw new CodedError("image_host_unavailable", { cause: error });
  }
  if (status === 413) throw tooLarge();
  log().warn({ status }, "the image host refused the upload: check IMAGE_UPLOAD_URL, and run npm run doctor");
  throw new CodedError("image_host_unavailable");
}
