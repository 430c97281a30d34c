/** The languages of the payment page; the first one is the default. */
export type PageLanguage = "en" | "es";

const english = {
  title: "Payment required: {what}, {price}",
  unnamedTitle: "Payment required: {price}",
  kicker: "402 Payment required",
  unnamed: "This page is paid content.",
  to: "To",
  for: "For",
  network: "Network",
  mainChain: "{network}, Hive's main chain",
  otherChain:
    "This is not Hive's main chain. In Keychain, open the menu (☰), Advanced settings, RPC Node, untick Switch automatically, press +, give this address, tick Testnet, give {chainId}, tick Set new RPC node as active, and save it before you pay.",
  thisChainId: "this chain id",
  unnamedChainId: "the chain's id (the seller has not named it: ask there)",
  node: "Node",
  chainId: "Chain id",
  copy: "Copy",
  copyNode: "Copy the node's address",
  copyChainId: "Copy the chain id",
  account: "Your Hive account",
  pay: "Pay with Hive Keychain",
  comeBack: "Sign in: I have bought this before",
  about:
    "HBD is the dollar-like currency of the Hive chain; a payment takes about three seconds and costs no fee.",
  install: "To pay here, install the {link}.",
  installToo: "The {link} pays in this browser too.",
  noWallet: "No wallet can be offered here, because the seller has named no node of this chain.",
  extension: "Hive Keychain extension",
  programs: "Programs pay by sending a signed transfer in the {header} header.",
  noAnswer: "Keychain has not answered: look for its window; is it unlocked and set up?",
  cancel: "Cancel",
  again: "Read it again, for nothing",
  content: "Paid content",
  anyWallet: "Pay with a phone or another wallet",
  wallets: "Wallets",
  walletHere: "Open a wallet on this device instead",
  otherWallet: "Another wallet",
  exactly: "Send exactly this amount in HBD with exactly this memo, from any Hive wallet.",
  amount: "Amount",
  memo: "Memo",
  copyTo: "Copy the account",
  copyAmount: "Copy the amount",
  copyMemo: "Copy the memo",
  renew: "Get a new memo",
  otherWay: "Choose another way",
};

/** The texts of the page's script, with placeholders in braces. */
const spokenEnglish = {
  contradict: "The chain nodes contradict each other. Nothing was paid: try again in a moment.",
  noNode: "No chain node answers just now. Nothing was paid.",
  changed: "The offer has changed. Load this page again.",
  expired: "The offer has expired. Load this page again.",
  stillAsking:
    "Keychain still shows an earlier question. Close its window first; if it is closed already, just press the button again.",
  ranOut: "The offer ran out before it was signed. Nothing was paid. Press the button for a new one.",
  late: "Keychain signed when this page no longer waited. Nothing was paid. Press the button to pay.",
  left: "The offer holds for {time} more.",
  stopped: "Nothing was paid. Press the button to start again.",
  asksText: "Keychain asks you to sign in with your posting key; that costs nothing.",
  signingIn: "Signing in…",
  activeKey: "active key",
  postingKey: "posting key",
  asks: "Keychain asks you to sign {amount} to @{payee}; open Transaction to check.",
  says: " Keychain says: {said}",
  cancelled: "You cancelled in Keychain, or it has no account @{account} or not its {key}. Nothing was paid.",
  unsigned:
    "Keychain could not sign. Close all its windows and try again; if it goes on, look whether it holds the {key} of this account. Nothing was paid.",
  copied: "Copied",
  content: "Paid content",
  save: "Save the file",
  paid: "Paid by @{payer}, transaction {transaction}.",
  wasBought: " It was bought before: nothing was charged this time.",
  paidBefore: "Paid for{on}: {amount} by @{payer}, transaction {transaction}.",
  on: " on {when}",
  inBlock: "{txId} in block {blockNum}",
  refused: "The payment was refused.",
  failed:
    "You have paid, but the server failed. Press the button to ask again: you will not be charged twice.",
  onItsWay: "The payment is on its way…",
  slow: "The payment takes longer than usual. Press the button to ask again: you will not be charged twice.",
  askingTime: "Asking the chain for its time…",
  paying: "Paying…",
  unreachable: "The server can't be reached. Press the button to try again.",
  brokeOff:
    "You have paid, but the answer broke off. Press the button to ask again: you will not be charged twice.",
  scan: "Scan this code with your phone, and send {amount} to @{payee} there. This page then opens by itself.",
  sendHere: "Send {amount} to @{payee} in your wallet, then come back to this page. It opens by itself.",
  open: "Open {wallet}",
  code: "Code to scan for {wallet}",
  awaiting: "Waiting for your transfer. It takes about three seconds to arrive.",
  noServer: "The server does not answer. This page keeps asking: a transfer that you have sent is not lost.",
  sendEnded:
    "The time for this memo is up. If you have sent the transfer, wait here: it still counts. If not, get a new memo.",
  unrecognized:
    "The server does not recognize this memo's offer. If you have sent the transfer, leave this page open: it keeps asking, here and when you open it again. If not, start again.",
  paid_too_little: "The {amount} from @{payer} is less than the price, so it buys nothing.",
  paid_too_much: "The {amount} from @{payer} is more than the price, so it buys nothing.",
  paid_other_coin: "The {amount} from @{payer} is not in HBD, so it buys nothing.",
  paid_other_memo:
    "The {amount} from @{payer} came with spaces or line breaks around the memo, so it buys nothing.",
  paid_too_late: "The {amount} from @{payer} came too late, so it buys nothing.",
  paid_twice: "The {amount} from @{payer} is one transfer too many.",
  noted: "The seller has noted that it is to be returned.",
  sending: "The seller is sending it back.",
  returned: "The seller has sent it back.",
  sendRight: " To open the page, send exactly {amount} with the same memo.",
};

export type PageTexts = {
  direction: "ltr" | "rtl";
  page: typeof english;
  script: typeof spokenEnglish;
  /** The meaning of each refusal; the answer itself states it in English. */
  refusals: Readonly<Record<string, string>>;
};

/** Every text of the payment page. */
export const pageTexts: Readonly<Record<PageLanguage, PageTexts>> = {
  en: { direction: "ltr", page: english, script: spokenEnglish, refusals: {} },
  es: {
    direction: "ltr",
    page: {
      title: "Hay que pagar: {what}, {price}",
      unnamedTitle: "Hay que pagar: {price}",
      kicker: "402 Hay que pagar",
      unnamed: "Esta página es de pago.",
      to: "Para",
      for: "Por",
      network: "Red",
      mainChain: "{network}, la cadena principal de Hive",
      otherChain:
        "Esta no es la cadena principal de Hive. En Keychain abre el menú (☰), Advanced settings, RPC Node, desmarca Switch automatically, pulsa +, pon esta dirección, marca Testnet, pon {chainId}, marca Set new RPC node as active y guárdalo antes de pagar.",
      thisChainId: "este id de cadena",
      unnamedChainId: "el id de la cadena (el vendedor no lo ha indicado: pregúntaselo)",
      node: "Nodo",
      chainId: "Id de la cadena",
      copy: "Copiar",
      copyNode: "Copiar la dirección del nodo",
      copyChainId: "Copiar el id de la cadena",
      account: "Tu cuenta de Hive",
      pay: "Pagar con Hive Keychain",
      comeBack: "Entrar: ya compré esto antes",
      about:
        "HBD es la moneda de la cadena Hive que sigue al dólar; un pago tarda unos tres segundos y no tiene comisión.",
      install: "Para pagar aquí, instala la {link}.",
      installToo: "La {link} también paga en este navegador.",
      noWallet:
        "Aquí no se puede ofrecer ningún monedero, porque el vendedor no ha indicado ningún nodo de esta cadena.",
      extension: "extensión Hive Keychain",
      programs: "Los programas pagan enviando una transferencia firmada en la cabecera {header}.",
      noAnswer: "Keychain no ha respondido: busca su ventana; ¿está desbloqueado y configurado?",
      cancel: "Cancelar",
      again: "Leerlo otra vez, gratis",
      content: "Contenido pagado",
      anyWallet: "Pagar con el móvil o con otro monedero",
      wallets: "Monederos",
      walletHere: "Abrir un monedero en este dispositivo",
      otherWallet: "Otro monedero",
      exactly:
        "Envía exactamente este importe en HBD con exactamente este memo, desde cualquier monedero de Hive.",
      amount: "Importe",
      memo: "Nota (memo)",
      copyTo: "Copiar la cuenta",
      copyAmount: "Copiar el importe",
      copyMemo: "Copiar el memo",
      renew: "Pedir un memo nuevo",
      otherWay: "Elegir otra forma",
    },
    script: {
      contradict:
        "Los nodos de la cadena se contradicen. No se ha pagado nada: inténtalo de nuevo en un momento.",
      noNode: "Ahora no responde ningún nodo de la cadena. No se ha pagado nada.",
      changed: "La oferta ha cambiado. Vuelve a cargar esta página.",
      expired: "La oferta ha caducado. Vuelve a cargar esta página.",
      stillAsking:
        "Keychain todavía muestra una pregunta anterior. Cierra antes su ventana; si ya está cerrada, pulsa el botón otra vez sin más.",
      ranOut: "La oferta caducó antes de la firma. No se ha pagado nada. Pulsa el botón para pedir otra.",
      late: "Keychain firmó cuando esta página ya no esperaba. No se ha pagado nada. Pulsa el botón para pagar.",
      left: "La oferta vale {time} más.",
      stopped: "No se ha pagado nada. Pulsa el botón para empezar de nuevo.",
      asksText: "Keychain te pide entrar con tu clave de publicación; no cuesta nada.",
      signingIn: "Entrando…",
      activeKey: "clave activa",
      postingKey: "clave de publicación",
      asks: "Keychain te pide firmar {amount} para @{payee}; abre Transaction para comprobarlo.",
      says: " Keychain dice: {said}",
      cancelled:
        "Cancelaste en Keychain, o Keychain no tiene la cuenta @{account} o su {key}. No se ha pagado nada.",
      unsigned:
        "Keychain no pudo firmar. Cierra todas sus ventanas e inténtalo de nuevo; si sigue igual, mira si tiene la {key} de esta cuenta. No se ha pagado nada.",
      copied: "Copiado",
      content: "Contenido pagado",
      save: "Guardar el archivo",
      paid: "Pagado por @{payer}, transacción {transaction}.",
      wasBought: " Ya estaba comprado: esta vez no se ha cobrado nada.",
      paidBefore: "Pagado{on}: {amount} por @{payer}, transacción {transaction}.",
      on: " el {when}",
      inBlock: "{txId} en el bloque {blockNum}",
      refused: "El pago fue rechazado.",
      failed:
        "Has pagado, pero el servidor falló. Pulsa el botón para pedirlo otra vez: no se te cobrará dos veces.",
      onItsWay: "El pago está en camino…",
      slow: "El pago tarda más de lo normal. Pulsa el botón para pedirlo otra vez: no se te cobrará dos veces.",
      askingTime: "Preguntando la hora a la cadena…",
      paying: "Pagando…",
      unreachable: "No se puede llegar al servidor. Pulsa el botón para intentarlo de nuevo.",
      brokeOff:
        "Has pagado, pero la respuesta se cortó. Pulsa el botón para pedirla otra vez: no se te cobrará dos veces.",
      scan: "Escanea este código con el móvil y envía allí {amount} a @{payee}. Después esta página se abre sola.",
      sendHere: "Envía {amount} a @{payee} en tu monedero y vuelve a esta página. Se abre sola.",
      open: "Abrir {wallet}",
      code: "Código para escanear con {wallet}",
      awaiting: "Esperando tu transferencia. Tarda unos tres segundos en llegar.",
      noServer:
        "El servidor no responde. Esta página sigue preguntando: una transferencia enviada no se pierde.",
      sendEnded:
        "Se acabó el tiempo de este memo. Si ya enviaste la transferencia, espera aquí: todavía vale. Si no, pide un memo nuevo.",
      unrecognized:
        "El servidor no reconoce la oferta de este memo. Si ya enviaste la transferencia, deja esta página abierta: sigue preguntando, ahora y cuando la abras otra vez. Si no, empieza de nuevo.",
      paid_too_little: "Los {amount} de @{payer} son menos que el precio, así que no compran nada.",
      paid_too_much: "Los {amount} de @{payer} son más que el precio, así que no compran nada.",
      paid_other_coin: "Los {amount} de @{payer} no son HBD, así que no compran nada.",
      paid_other_memo:
        "Los {amount} de @{payer} llegaron con espacios o saltos de línea alrededor del memo, así que no compran nada.",
      paid_too_late: "Los {amount} de @{payer} llegaron demasiado tarde, así que no compran nada.",
      paid_twice: "Los {amount} de @{payer} son una transferencia de más.",
      noted: "Quien vende tiene anotado que debe devolverlos.",
      sending: "Quien vende los está devolviendo.",
      returned: "Quien vende los ha devuelto.",
      sendRight: " Para abrir la página, envía exactamente {amount} con el mismo memo.",
    },
    refusals: {
      invalid_payload: "La cabecera x-payment no se puede leer como un pago.",
      unsupported_version: "Aquí los pagos son de la versión 1 o 2.",
      unsupported_scheme: "Aquí los pagos son del esquema exact.",
      unsupported_network: "El pago es para otra red.",
      invalid_amount: "El importe del pago está mal escrito.",
      amount_mismatch: "El importe del pago no es el que se pide.",
      asset_mismatch: "El pago no es en HBD.",
      recipient_mismatch: "El pago es para otra cuenta.",
      self_payment: "Quien cobra no puede pagarse a sí mismo.",
      nonce_mismatch: "El número del pago no abre esta página.",
      memo_invalid: "El memo del pago debe ser x402: y el número.",
      transaction_expired:
        "El pago caducó. Si la cadena muestra su transferencia, pregunta a quien vende; si no, firma otro.",
      expiration_too_far: "El pago caduca demasiado tarde.",
      requirements_expired: "La oferta que se pagó ha caducado.",
      tapos_mismatch: "El pago se refiere a un bloque que la cadena no conoce.",
      signature_missing: "El pago no está firmado.",
      signature_invalid: "Una firma del pago no es válida.",
      authority_not_satisfied: "Las firmas no bastan para la clave activa de quien paga.",
      wrong_chain: "El pago se firmó para otra cadena; pon la billetera en la cadena de esta oferta.",
      account_not_found: "Quien paga o quien cobra no existe en la cadena.",
      insufficient_funds: "Quien paga no tiene HBD suficiente, o le faltan créditos para enviarlo.",
      invalid_claim: "Esa clave no abre esta página.",
      payment_not_seen:
        "La transferencia aún no está en ningún bloque. Cuando la envíes con el memo de la clave, repite con la misma clave.",
      paid_too_little: "La transferencia fue de menos que el precio, así que no compra nada.",
      paid_too_much: "La transferencia fue de más que el precio, así que no compra nada.",
      paid_other_coin: "La transferencia no fue en HBD, así que no compra nada.",
      paid_other_memo:
        "La transferencia tiene espacios o saltos de línea alrededor del memo, así que no compra nada.",
      paid_too_late:
        "La transferencia llegó más de un día después de acabar la oferta, así que no compra nada.",
      paid_twice: "Se pagó más de una vez, y basta una transferencia.",
      payment_replayed: "Este pago ya se usó, o el vendedor lo devolvió.",
      broadcast_rejected:
        "La cadena rechazó el pago. Envía el mismo otra vez, o firma otro cuando este haya caducado.",
      payment_rejected: "El pago fue rechazado.",
      not_purchased: "La cuenta que firmó no ha comprado esto, o pagó menos de lo que cuesta ahora.",
      invalid_siwx_header: "La cabecera sign-in-with-x no se puede leer como una firma de acceso.",
      invalid_siwx_domain_mismatch: "La firma de acceso es para otro sitio.",
      invalid_siwx_uri_mismatch: "La firma de acceso es para otra página.",
      invalid_siwx_unsupported_chain:
        "La firma de acceso es para otra cadena, o de un tipo que aquí no vale.",
      invalid_siwx_nonce: "El número de la firma de acceso no es de esta página, o ya se usó.",
      invalid_siwx_expired: "La firma de acceso ha caducado.",
      invalid_siwx_issued_at_in_future: "La firma de acceso empieza en el futuro.",
      invalid_siwx_signature: "La firma no es de la clave de publicación de la cuenta.",
    },
  },
};

const isLanguage = (name: unknown): name is PageLanguage =>
  typeof name === "string" && Object.hasOwn(pageTexts, name);

/** Returns the language that the seller chose for a request, or the first supported one of its `Accept-Language`. */
export function chooseLanguage(wanted: unknown, acceptLanguage: string): PageLanguage {
  if (isLanguage(wanted)) return wanted;
  const [best] = rangesOf(acceptLanguage)
    .map(({ name, quality }) => ({ name: name.split("-")[0] ?? "", quality }))
    .filter(({ name, quality }) => isLanguage(name) && quality > 0);
  return isLanguage(best?.name) ? best.name : "en";
}

/** Returns the ranges of an `Accept` header, in lower case, best first. */
export function rangesOf(header: string): Array<{ name: string; quality: number }> {
  return header
    .split(",", 50)
    .map((range) => ({
      name: range.split(";", 1)[0]?.trim().toLowerCase() ?? "",
      quality: Number(/;\s*q=([0-9.]+)/i.exec(range)?.[1] ?? 1),
    }))
    .sort((one, other) => other.quality - one.quality);
}

/** Replaces the placeholders in braces of a text. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? "");
}
