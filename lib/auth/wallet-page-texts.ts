/** The languages of the page that a wallet opens; the first one is the default. */
export type WalletPageLanguage = "en" | "es";

const english = {
  signedIn: (account: string) => `Signed in as @${account}`,
  asked: (device: string, address: string) =>
    `In the browser that asked: ${device || "unknown"}, from ${address || "an unknown address"}.`,
  pageOf: (site: string) => `on a page of ${site === "?" ? "an unknown site" : site}`,
  goBack: "Go back to the page where you asked. It goes on by itself, and you can close this one.",
  notYou: "Not you? Then another person's browser has just entered your account.",
  end: "End it",
  consent: (account: string) => `Sign in another browser as @${account}?`,
  askedBy: (device: string, address: string) =>
    `It asks from: ${device || "unknown"}, ${address || "an unknown address"}.`,
  onlyYours: "Go on only if you asked for this there yourself. That browser then enters your account.",
  allow: "Yes, that is my browser",
  orClose: "Otherwise close this page: nobody has been signed in.",
  otherBrowser:
    "This was asked for in another browser, and only that one can be signed in. Ask again in the browser that you use for HiveSigner.",
  declined: "The wallet has signed nothing. Go back to the page where you asked, to try again.",
  ended: (account: string) => `The sign-in as @${account} has ended`,
  changeKeys: "That browser is signed out. Scan codes only from a page that you opened yourself.",
  notEnded: "It is not ended yet",
  pressAgain: "The server could not finish. Press again in a moment.",
  wrongButton: "This button does not belong to the sign-in. End it in the chat, in your list of sign-ins.",
  notSignedIn: "This did not sign you in",
  late: "The signature came too late. Ask for a new code on the page, and sign that one.",
  noAnswer: "This page has no answer of a wallet any more. Ask again on the page where you began.",
  unavailable: "The signature cannot be checked at the moment. Load this page again in a minute.",
  refused:
    "The signature does not fit. It must be made once, with the posting key of the account that the page names, on a device whose clock is right.",
};

const spanish: typeof english = {
  signedIn: (account) => `Sesión iniciada como @${account}`,
  asked: (device, address) =>
    `En el navegador que la pidió: ${device || "desconocido"}, desde ${address || "una dirección desconocida"}.`,
  pageOf: (site) => `en una página de ${site === "?" ? "un sitio desconocido" : site}`,
  goBack: "Vuelve a la página donde la pediste. Seguirá sola, y puedes cerrar esta.",
  notYou: "¿No fuiste tú? Entonces el navegador de otra persona acaba de entrar en tu cuenta.",
  end: "Cerrarla",
  consent: (account) => `¿Iniciar sesión como @${account} en otro navegador?`,
  askedBy: (device, address) =>
    `Lo pide desde: ${device || "desconocido"}, ${address || "una dirección desconocida"}.`,
  onlyYours: "Sigue solo si lo pediste allí tú. Ese navegador entrará en tu cuenta.",
  allow: "Sí, es mi navegador",
  orClose: "Si no, cierra esta página: no se ha iniciado ninguna sesión.",
  otherBrowser:
    "Esto se pidió en otro navegador, y la sesión solo puede iniciarse en él. Pídelo de nuevo en el navegador que usas para HiveSigner.",
  declined: "La billetera no ha firmado nada. Vuelve a la página donde lo pediste para intentarlo de nuevo.",
  ended: (account) => `La sesión de @${account} se ha cerrado`,
  changeKeys: "Ese navegador ya no tiene acceso. Escanea solo códigos de una página que hayas abierto tú.",
  notEnded: "Todavía no se ha cerrado",
  pressAgain: "El servidor no pudo terminar. Vuelve a pulsar dentro de un momento.",
  wrongButton: "Este botón no es de esa sesión. Ciérrala en el chat, en tu lista de sesiones.",
  notSignedIn: "No se ha iniciado ninguna sesión",
  late: "La firma llegó demasiado tarde. Pide un código nuevo en la página y firma ese.",
  noAnswer:
    "Esta página ya no tiene la respuesta de una billetera. Pídela de nuevo en la página donde empezaste.",
  unavailable: "La firma no se puede comprobar ahora. Vuelve a cargar esta página en un minuto.",
  refused:
    "La firma no corresponde. Se hace una sola vez, con la clave posting de la cuenta que nombra la página, en un dispositivo con la hora correcta.",
};

/** The page's texts in each language. */
export const walletPageTexts: Readonly<Record<WalletPageLanguage, typeof english>> = {
  en: english,
  es: spanish,
};
