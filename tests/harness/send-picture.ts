import { checkAnswer } from "./check-answer.ts";
import type { AnyBody, ChatWorld, Person } from "./start-chat-world.ts";

type Picture = { channelId: string; body: Uint8Array | string; name?: string; type?: string };

/**
 * Sends a picture to a channel as a person, to Mattermost (`files`) or to the image host (`pictures`). The
 * answer must match the contract.
 */
export async function sendPicture(
  { gateway }: Pick<ChatWorld, "gateway">,
  { pat }: Pick<Person, "pat">,
  to: "files" | "pictures",
  { channelId, body, name = "valley.png", type = "image/png" }: Picture,
) {
  const query = new URLSearchParams({ name });
  const response = await fetch(`${gateway.url}/api/chat/channels/${channelId}/${to}?${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${pat}`, "content-type": type },
    body: new Uint8Array(Buffer.from(body)),
  });
  const answer = (await response.json()) as AnyBody;
  checkAnswer("POST", response.url, response.status, answer);
  return { status: response.status, body: answer };
}
