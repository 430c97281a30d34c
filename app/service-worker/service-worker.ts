// Stores the built scripts and styles of one build, and answers while the server is unreachable. Answers of
// the API and pages are never stored, except for the empty pages of the chat: the chat fills them with the
// messages that it stores itself, until the signed-in person leaves.
import { deleteOldBuilds, isAsset, readAsset } from "./assets.ts";
import { isChatComponent, isChatPage, readChatPage, storeChatPage, storeComponents } from "./chat-pages.ts";
import { renderOfflinePage } from "./offline-page.ts";
import { storeWords } from "./offline-words.ts";
import { openMessage } from "./open-message.ts";
import { worker } from "./worker.ts";

worker.addEventListener("install", () => void worker.skipWaiting());

worker.addEventListener("activate", (event) => event.waitUntil(takeOver()));

worker.addEventListener("message", (event) => {
  event.waitUntil(storeWords(event.data));
  if (event.source instanceof WindowClient && isChatPage(new URL(event.source.url).pathname))
    event.waitUntil(storeComponents());
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openMessage(event.notification.data));
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  if (request.mode === "navigate" && !pathname.startsWith("/api/")) event.respondWith(navigate(event));
  else if (isChatComponent(request, pathname)) event.respondWith(answerRouter(event));
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
    if (isChatPage(pathname)) event.waitUntil(storeChatPage("document", pathname, response.clone()));
    return response;
  } catch {
    return (await readChatPage("document", pathname)) ?? renderOfflinePage();
  }
}

/** Answers Next's router, which without an answer would replace the open chat by a new document. */
async function answerRouter(event: FetchEvent): Promise<Response> {
  try {
    const response = await fetch(event.request);
    event.waitUntil(storeComponents());
    return response;
  } catch (error) {
    const stored = await readChatPage("component", new URL(event.request.url).pathname);
    if (stored) return stored;
    throw error;
  }
}
