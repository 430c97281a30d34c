/** A chat endpoint with a well-formed request whose ids do not exist. */
export type ChatRoute = { method: string; path: string; body?: unknown };

const id = "z".repeat(26);

/** Settings that enable every endpoint. */
export const withAllRoutes = { TRANSLATE_URL: "http://127.0.0.1:9" } as const;

/** Every endpoint that accepts a PAT, except websocket and logout. */
export const patRoutes: readonly ChatRoute[] = [
  { method: "GET", path: "/me" },
  { method: "GET", path: "/sign-ins" },
  { method: "DELETE", path: "/sign-ins" },
  { method: "DELETE", path: `/sign-ins/${id}` },
  { method: "GET", path: "/channels" },
  { method: "GET", path: "/channels/unreads" },
  { method: "POST", path: "/channels/search", body: { term: "room" } },
  { method: "GET", path: "/channels/public" },
  { method: "GET", path: `/channels/${id}/members` },
  { method: "GET", path: `/channels/${id}/pinned` },
  { method: "POST", path: `/channels/${id}/join` },
  { method: "POST", path: `/channels/${id}/leave` },
  { method: "POST", path: `/channels/${id}/favorite`, body: { favorite: true } },
  { method: "POST", path: `/channels/${id}/mute`, body: { mute: true } },
  { method: "POST", path: `/channels/${id}/view` },
  { method: "GET", path: `/channels/${id}/posts` },
  { method: "POST", path: `/channels/${id}/posts`, body: { message: "x" } },
  { method: "PATCH", path: `/channels/${id}/posts/${id}`, body: { message: "x" } },
  { method: "DELETE", path: `/channels/${id}/posts/${id}` },
  { method: "POST", path: `/channels/${id}/posts/${id}/reactions`, body: { emoji: "smile", add: true } },
  { method: "POST", path: `/channels/${id}/posts/${id}/pin`, body: { pin: true } },
  { method: "POST", path: `/channels/${id}/posts/${id}/unread` },
  { method: "POST", path: `/channels/${id}/posts/${id}/translation`, body: { target: "es" } },
  { method: "POST", path: `/channels/${id}/files?name=picture.png` },
  { method: "POST", path: `/channels/${id}/pictures?name=picture.png` },
  { method: "GET", path: `/files/${id}` },
  { method: "GET", path: "/threads" },
  { method: "POST", path: "/threads/view" },
  { method: "POST", path: `/threads/${id}/view`, body: { until: 1 } },
  { method: "POST", path: `/threads/${id}/follow`, body: { follow: true } },
  { method: "POST", path: "/search/posts", body: { term: "word" } },
  { method: "POST", path: "/direct", body: { username: "bob" } },
  { method: "GET", path: "/users/search?q=bob" },
  { method: "GET", path: "/pictures?url=http%3A%2F%2F127.0.0.1%2Fpicture.png" },
  { method: "GET", path: "/previews?url=http%3A%2F%2F127.0.0.1%2Fpage" },
];
