import type { strings as referenceTexts } from "../../(demo)/_reference/strings.en.ts";
import type { strings as sessionTexts } from "../../(demo)/_session/strings.en.ts";
import type { strings as walletTexts } from "../../(demo)/_session/wallet-strings.en.ts";
import type { Translation } from "../../(demo)/_ui/language.ts";

export const session: Translation<typeof sessionTexts> = {
  steps: {
    challenge: "Pidiendo qué firmar…",
    sign: "Esperando la firma…",
    login: "Comprobando la firma…",
    bootstrap: "Abriendo el chat…",
  },
  sandbox: {
    title: "Pruébalo con una de las cuentas de prueba",
    hint: "Sus claves son públicas y no valen nada fuera de este entorno de pruebas.",
    signInAs: (name) => `Entrar como ${name}`,
  },
  username: "Cuenta de Hive",
  keychain: {
    button: "Usar Hive Keychain",
    next: "Keychain pregunta en este navegador, confirmas y se abre el chat.",
  },
  phone: {
    button: "Usar Keychain en un teléfono",
    next: "Tu teléfono escanea un código, firmas allí y el chat se abre aquí.",
    nextHere: "Se abre Keychain, firmas allí y vuelves al chat.",
  },
  hiveauth: {
    button: "Usar HiveAuth",
    next: "Tu billetera escanea un código, aceptas allí y el chat se abre aquí.",
    nextHere: "Se abre tu billetera, aceptas allí y vuelves al chat.",
  },
  ecency: {
    button: "Usar Ecency",
    nextHere: "Se abre Ecency, confirmas allí y vuelves al chat.",
  },
  hivesigner: {
    button: "Usar HiveSigner",
    next: "HiveSigner se abre en otra pestaña, confirmas allí y el chat se abre aquí.",
  },
  key: {
    summary: "Usar mejor una clave de publicación",
    label: "Clave de publicación",
    hint: "Firma solo en esta página; nunca se envía ni se guarda.",
    button: "Entrar con esta clave",
    nameless: "Escribe antes el nombre de la cuenta.",
    refused:
      "Las claves solo se escriben en el entorno de pruebas: una página que te pide la clave podría quedársela. Usa una billetera como Hive Keychain, que firma sin mostrarla.",
    malformed: "Esto no es una clave privada: una empieza por 5 y tiene 51 caracteres. Cópiala otra vez.",
  },
  failures: {
    unauthorized: {
      title: "La cadena no reconoce esta firma",
      text: "Debe hacerse con la clave de publicación de la cuenta. Revisa el nombre de la cuenta y la clave e inténtalo de nuevo.",
    },
    malformed_name: {
      title: "Una cuenta de Hive no se llama así",
      text: "Tiene de 3 a 16 letras minúsculas, cifras, puntos y guiones. Revísalo e inténtalo de nuevo.",
    },
    malformed_key: {
      title: "Esto no es una clave privada",
      text: "Le falta un carácter o tiene uno equivocado. Copia otra vez la clave entera e inténtalo de nuevo.",
    },
    wallet: {
      title: "La billetera no firmó",
      text: "Comprueba que tiene la clave de publicación de esta cuenta e inténtalo de nuevo.",
    },
    auth_unavailable: {
      title: "Ahora no se puede preguntar a la cadena",
      text: "A tu cuenta no le pasa nada y no tienes que volver a entrar. Inténtalo de nuevo en un momento.",
    },
    backend_unreachable: {
      title: "No se puede llegar al servidor del chat",
      text: "A tu cuenta no le pasa nada, pero el chat está caído. Inténtalo de nuevo en un momento.",
    },
    backend_timeout: {
      title: "El servidor del chat va lento",
      text: "No respondió a tiempo. Inténtalo de nuevo en un momento.",
    },
    rate_limited: {
      title: "Demasiados intentos",
      text: "Espera un momento e inténtalo de nuevo.",
    },
    forbidden: {
      title: "Esta cuenta no puede chatear aquí",
      text: "La desactivaron quienes llevan este chat. Pregúntales.",
    },
    name_taken: {
      title: "Otra persona tiene aquí ese nombre",
      text: "El servidor del chat tiene otro usuario con el nombre de esta cuenta. Avisa a quienes llevan este chat: pueden arreglarlo.",
    },
    name_reserved: {
      title: "Este nombre no puede chatear aquí",
      text: "El servidor del chat se reserva el nombre de esta cuenta. Entra con otra cuenta.",
    },
    chat_token_refused: {
      title: "El chat no está configurado",
      text: "Su servidor rechaza al de esta página. Avisa a quienes llevan este chat.",
    },
    user_limit_reached: {
      title: "Este chat está lleno",
      text: "Su servidor no admite más usuarios. Avisa a quienes lo llevan.",
    },
    offline: {
      title: "Parece que no tienes conexión",
      text: "Esta página no llega a su servidor. Revisa la conexión e inténtalo de nuevo.",
    },
    cancelled: {
      title: "No se firmó nada",
      text: "Rechazaste o cerraste la pregunta de la billetera, o esta no tiene esa cuenta o su clave de publicación. Empieza de nuevo cuando quieras.",
    },
    relay: {
      title: "No se puede contactar con HiveAuth",
      text: "Su servidor no responde o rechaza la pregunta. Inténtalo en un momento o usa otra billetera.",
    },
    wallet_asking: {
      title: "Keychain sigue preguntando",
      text: "Su pregunta anterior sigue abierta. Cierra antes su ventana; si ya está cerrada, inténtalo de nuevo sin más.",
    },
    other: {
      title: "No se pudo entrar",
      text: "Inténtalo de nuevo. Si sigue igual, da a quienes llevan este chat el número de abajo.",
    },
    unknown: {
      title: "No se pudo entrar",
      text: "Inténtalo de nuevo. Si sigue igual, vuelve a cargar la página.",
    },
  },
  unavailable: {
    title: "Esto no se puede mostrar ahora",
    text: "El servidor no pudo responder. No has perdido nada. Inténtalo de nuevo en un momento.",
  },
  problems: {
    forbidden: "Aquí no puedes hacer eso. Pregunta a quien lleva este canal.",
    not_found: "Ya no está. Vuelve a cargar la página para ver lo que hay.",
    rate_limited: "Demasiados intentos. Espera un momento e inténtalo de nuevo.",
    unauthorized: "Tu sesión se cerró. Vuelve a cargar la página para entrar de nuevo.",
    name_reserved: "El chat se reserva este nombre: con él no se llega a nadie. Revisa cómo está escrito.",
    name_taken: "Otra persona tiene este nombre en el chat. Pregunta a quien lo lleva.",
    user_limit_reached: "El chat no admite a nadie más por ahora. Pregunta a quien lo lleva.",
    conflict:
      "Algo cambió aquí entretanto, o este canal está archivado. Vuelve a cargar la página para verlo.",
    image_host_unavailable: "No se puede llegar al servidor de imágenes. Inténtalo de nuevo en un momento.",
    translation_unavailable: "No se puede llegar al traductor. Inténtalo de nuevo en un momento.",
    payload_too_large: "Es demasiado grande. Envíalo por partes.",
    backend_unreachable: "No se puede llegar al servidor del chat. Inténtalo de nuevo en un momento.",
    backend_timeout: "El servidor del chat no respondió a tiempo. Inténtalo de nuevo en un momento.",
    offline: "No se puede llegar al servidor. Revisa la conexión e inténtalo de nuevo.",
    other: "No funcionó. Inténtalo de nuevo en un momento.",
  },
  tryAgain: "Reintentar",
  requestId: (id) => `Número ${id}`,
  retryIn: (seconds) => `El servidor pide esperar ${seconds} s.`,
  walletWait: {
    signIn: (account) => `Keychain te pide entrar como @${account}.`,
  },
  walletSays: (said) => `Keychain dice: ${said}`,
};

export const reference: Translation<typeof referenceTexts> = {
  title: "Referencia de la API",
  docs: "Documentación",
  copyCode: "Copiar código",
  document: "El documento OpenAPI 3.1",
  contents: "Contenido",
  access: { none: "sin token", pat: "necesita un token", metrics: "necesita METRICS_TOKEN" },
  parameters: "Parámetros",
  body: "Cuerpo",
  limits: "Límites",
  limit: (quota) => `${quota}; más es 429.`,
  responses: "Respuestas",
  exampleOf: (name) => (name === "" || name === "example" ? "Ejemplo" : `Ejemplo: ${name}`),
  tryIt: "Pruébalo",
  required: "obligatorio",
  optional: "opcional",
  columns: { status: "Estado", code: "Código", meaning: "Significado" },
  tokens: "Tokens",
  schemes: {
    bearer: "Authorization: Bearer",
    cookie: "Cookie",
    metrics: "Authorization: Bearer, para las métricas",
  },
  schemas: "Tipos",
  errors: "Códigos de error",
  errorsText:
    "Códigos de todos los errores salvo los de pagos. El mensaje de una respuesta puede ser más preciso. Las descripciones están en inglés.",
  payments: "Códigos de pago",
  paymentsText:
    "Por qué un muro de pago no entregó, y qué hacer. También son los valores de invalidReason y errorReason.",
  clientErrors: "Códigos del cliente que paga",
  clientErrorsText:
    "El código de un PaymentError: la llamada no cobra nada, salvo quizá con redirected_after_payment. Los pagos de llamadas anteriores aún pueden cobrarse, como con too_many_under_way. Ningún servidor los envía; por eso no tienen estado.",
};

export const wallet: Translation<typeof walletTexts> = {
  missing: "Hive Keychain no está instalado en este navegador. Instálalo y vuelve a cargar la página.",
  get: "Obtener Hive Keychain",
  noAnswer: "Keychain no ha respondido: busca su ventana; ¿está desbloqueado y configurado?",
  left: (time) => `Te quedan ${time} para firmar.`,
  cancel: "Cancelar",
  otherPhone: "Mostrar un código para otro teléfono",
  here: "Abrir la billetera en este dispositivo",
  onlyYours: "Firma solo lo que hayas pedido tú, nunca un código que te hayan enviado.",
  unreachable: "Las billeteras de un teléfono solo responden por https, y esta página tiene otra dirección.",
  phone: {
    scan: (account) =>
      `Escanea este código con Keychain en tu teléfono y entra allí como @${account}. Esta página sigue después sola.`,
    open: (account) => `Entra como @${account} en Keychain y vuelve luego a esta página. Sigue sola.`,
    openButton: "Abrir Keychain",
    noAnswer: "¿No se ha abierto nada? El teléfono necesita Keychain, con esta cuenta configurada.",
    code: "Código para escanear con Keychain",
    get: "Obtener Hive Keychain",
  },
  hiveauth: {
    scan: (account) =>
      `Escanea este código con tu billetera de HiveAuth, como la de Keychain, y acepta allí a @${account}. Esta página sigue después sola.`,
    open: (account) =>
      `Acepta a @${account} en tu billetera de HiveAuth y vuelve luego a esta página. Sigue sola.`,
    openButton: "Abrir la billetera",
    noAnswer:
      "¿No pregunta nada? El teléfono necesita una billetera de HiveAuth, con esta cuenta configurada.",
    code: "Código para escanear con una billetera de HiveAuth",
    get: "Billeteras de HiveAuth",
  },
  ecency: {
    open: (account) => `Confirma @${account} en Ecency y vuelve luego a esta página. Sigue sola.`,
    openButton: "Abrir Ecency",
    noAnswer:
      "¿No se ha abierto nada? El teléfono necesita Ecency, con la clave de publicación de esta cuenta.",
    get: "Obtener Ecency",
  },
  hivesigner: {
    open: (account) =>
      `Entra como @${account} en HiveSigner, que se abre en una pestaña nueva. Esta página sigue después sola.`,
    openButton: "Abrir HiveSigner",
    noAnswer: "¿No pasa nada? Termina en la pestaña de HiveSigner, en este mismo navegador.",
  },
  tooLate: {
    title: "No se firmó a tiempo",
    texts: {
      keychain:
        "Keychain tiene cinco minutos para firmar. Cierra su ventana si sigue abierta y pregunta otra vez: a tu clave no le pasa nada.",
      elsewhere:
        "Una billetera tiene cinco minutos para firmar. Lo que se le pidió ya no vale, así que pregunta otra vez: a tu clave no le pasa nada.",
    },
    askAgain: "Preguntar otra vez",
  },
  ownChain:
    "Esta página está en un entorno de pruebas con una cadena propia: aquí no se conocen las cuentas de Hive ni sus claves.",
  otherChain: (network) =>
    `Esta página está en la cadena ${network}, no en la cadena principal de Hive: aquí solo se conocen las cuentas de esa cadena y sus claves.`,
  chain: {
    summary: "Poner Keychain en la cadena de esta página",
    steps: [
      "Keychain quiere una cuenta antes de mostrar sus ajustes: importa cualquiera, una vez.",
      "Menú (☰), Advanced settings, RPC Node: desmarca Switch automatically y pulsa +.",
      "Pon esta dirección, marca Testnet, pon este id de cadena, marca Set new RPC node as active y guárdalo (el disquete).",
    ],
    account: "Menú, Accounts, Add account, Use keys/pwd: tu cuenta de esta cadena, con sus claves.",
    back: "Para volver luego a la cadena principal de Hive: elige api.hive.blog en esa lista y reinicia el navegador.",
    ofSandbox: {
      summary: "Poner Keychain en la cadena de este entorno de pruebas",
      account:
        "Menú, Accounts, Add account, Use keys/pwd: alice (u otra del entorno de pruebas), contraseña sandbox; deja marcadas todas sus claves.",
    },
    network: "Cadena",
    node: "Nodo RPC",
    chainId: "Id de la cadena",
    copyNetwork: "Copiar el nombre de la cadena",
    copyNode: "Copiar la dirección del nodo",
    copyChainId: "Copiar el id de la cadena",
    copied: "Copiado",
  },
};
