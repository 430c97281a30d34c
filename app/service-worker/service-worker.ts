// Stores the built scripts and styles of one build, and answers while the server is unreachable. Answers of
// the API and pages are never stored, except for the empty page of the chat: the chat fills it with the
// messages that it stores itself, until the signed-in person leaves.
import { SENT_HEADER, SIGN_IN_HEADER } from "../(demo)/_ui/kept-marks.ts";
import { deleteOldBuilds, isAsset, readAsset } from "./assets.ts";
import { isChatPage, readChatPage, storeChatPage } from "./chat-pages.ts";
import { renderOfflinePage } from "./offline-page.ts";
import { storeWords } from "./offline-words.ts";
import { openMessage } from "./open-message.ts";
import { worker } from "./worker.ts";

worker.addEventListener("install", () => void worker.skipWaiting());

worker.addEventListener("activate", (event) => event.waitUntil(takeOver()));

worker.addEventListener("message", (event) => event.waitUntil(storeWords(event.data)));

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openMessage(event.notification.data));
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  if (request.mode === "navigate" && !pathname.startsWith("/api/")) event.respondWith(navigate(event));
  else if (isAsset(pathname)) event.respondWith(readAsset(request));
});

async function takeOver(): Promise<void> {
  await deleteOldBuilds();
  // If a preload fails, Firefox shows its own error page, whatever the worker answers.
  await worker.registration.navigationPreload?.disable();
  await worker.clients.claim();
}

async function navigate(event: FetchEvent): Promise<Response> {
  const { pathname } = new URL(event.request.url);
  try {
    const response = await fetch(event.request);
    const { headers } = response;
    const isEmpty = !headers.has(SENT_HEADER) && !headers.has(SIGN_IN_HEADER);
    if (isChatPage(pathname) && response.ok && !response.redirected && isEmpty)
      event.waitUntil(storeChatPage(pathname, response.clone()));
    return response;
  } catch {
    return (await readChatPage(pathname)) ?? renderOfflinePage();
  }
}
