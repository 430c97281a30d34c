import type { strings as landingTexts } from "../../(demo)/_landing/strings.en.ts";
import type { Translation } from "../../(demo)/_ui/language.ts";
import type { strings as uiTexts } from "../../(demo)/_ui/strings.en.ts";
import type { strings as settingsTexts } from "../../(demo)/settings/strings.en.ts";

const themes = { system: "el del sistema", light: "claro", dark: "oscuro" };

export const ui: Translation<typeof uiTexts> = {
  theme: {
    label: (present, next) => `Tema: ${themes[present]}. Cambiar a ${themes[next]}`,
  },
  close: "Cerrar",
  loading: "Cargando",
  copy: "Copiar",
  copied: "Copiado",
  notLoaded: "Esto no se puede cargar. Revisa la conexión y vuelve a intentarlo.",
  loadsLater: "Esto aún no se puede cargar. Espera hasta que se llegue al servidor.",
  offline: {
    title: "No tienes conexión",
    text: "Desde aquí no se llega al servidor. Lo que escribiste y lo que pagaste está a salvo. Revisa la conexión.",
    retry: "Reintentar",
    waits: "Esta página se abre sola en cuanto se llegue al servidor.",
  },
};

export const settings: Translation<typeof settingsTexts> = {
  title: "Ajustes",
  lead: "Se guardan solo en este navegador, salvo dónde tienes la sesión iniciada.",
  theme: { title: "Tema", names: { system: "Sistema", light: "Claro", dark: "Oscuro" } },
  language: { title: "Idioma", browser: "Automático" },
  density: { title: "Espacio entre mensajes", names: { roomy: "Amplio", compact: "Compacto" } },
  skinTone: {
    title: "Tono de piel de los emojis",
    names: {
      none: "👋 Predeterminado",
      light: "👋🏻 Tipo 1-2",
      "medium-light": "👋🏼 Tipo 3",
      medium: "👋🏽 Tipo 4",
      "medium-dark": "👋🏾 Tipo 5",
      dark: "👋🏿 Tipo 6",
    },
  },
  previews: {
    title: "Vistas previas de enlaces",
    text: "Este servidor consulta por ti los enlaces de los mensajes, así que los sitios no saben nada de ti.",
    names: { on: "Mostrar", off: "Ocultar" },
  },
  notifications: {
    title: "Notificaciones",
    text: "De menciones y mensajes directos, mientras el chat esté abierto en una pestaña.",
    states: {
      on: "Están activadas.",
      off: "Están desactivadas.",
      denied:
        "El navegador las bloquea. Permítelas para este sitio en sus ajustes y vuelve a cargar la página.",
      missing: "Aquí no están disponibles: instala la aplicación, como se dice abajo, y actívalas allí.",
    },
    turnOn: "Activar",
    turnOff: "Desactivar",
  },
  limits: { title: "Límites de pago" },
  signIns: {
    title: "Dónde tienes la sesión iniciada",
    text: "Si no reconoces alguna, ciérrala y cambia después tu clave de publicación: con la anterior nadie sigue dentro.",
    device: (program, system) =>
      program && system ? `${program} en ${system}` : (program ?? system ?? "Dispositivo desconocido"),
    times: (opened, seen) => `Iniciada: ${opened}. Último uso: ${seen}.`,
    byApp: (app) => `A través de ${app}`,
    current: "Este dispositivo",
    end: "Cerrar",
    endOf: (name, opened) => `Cerrar sesión: ${name}, iniciada: ${opened}`,
    endOthers: "Cerrar todas las demás",
    ended: "Sesión cerrada allí.",
    endedOthers: "Todas las demás sesiones están cerradas.",
    retry: "Reintentar",
  },
  app: {
    title: "Instalar como aplicación",
    text: "Con ventana e icono propios, y un número sobre el icono cuando te mencionan.",
    install: "Instalar",
    states: {
      installed: "La estás usando como aplicación.",
      offered: "Este navegador puede instalarla.",
      unknown:
        "Busca «Instalar» o «Añadir a la pantalla de inicio» en el menú del navegador; no todos lo ofrecen.",
    },
  },
};

export const landing: Translation<typeof landingTexts> = {
  site: {
    description:
      "Las comunidades conversan con sus nombres de Hive, y las páginas cuestan céntimos que se pagan en tres segundos.",
    picture: "Un canal del chat",
  },
  title: "Chatea con tu nombre de Hive. Paga por una página, no por un mes.",
  lead: "Aquí las comunidades conversan con sus nombres de Hive, y las páginas cuestan céntimos que cada quien paga desde su propia billetera en tres segundos.",
  start: "Empezar a chatear",
  readArticles: "Ver una página que se vende sola",
  points: [
    {
      title: "Para quienes chatean",
      texts: [
        "Entras con tu cuenta de Hive: sin correo y sin contraseña.",
        "Cada comunidad es un canal, moderado por sus propios moderadores.",
        "Da propina a lo que te guste: llega entera.",
      ],
    },
    {
      title: "Para quienes programan",
      texts: [
        "Vende una página o una llamada en ocho líneas, sin cuentas ni comisiones.",
        "Deja que un programa pague dentro de un presupuesto que no puede superar.",
        "Añade un chat a tu aplicación con un único cliente tipado.",
      ],
    },
  ],
  quickstart: { copy: "Copiar el comando", hint: "Todo en tu máquina:" },
  signedIn: {
    label: "Tu cuenta",
    title: (name) => `Has entrado como ${name}`,
    continue: (name) => `Seguir como ${name}`,
    payments: "Tus pagos",
    other: "Usar otra cuenta",
    still: (problem) => `Tu sesión sigue abierta. ${problem}`,
  },
  code: {
    title: "Ocho líneas para vender, ocho para comprar",
    text: "Una ruta que pide su precio, en el framework que ya usas, y un programa que lo paga.",
    tabs: "Tipo de programa",
    copy: (file) => `Copiar ${file}`,
  },
  steps: {
    title: "Cómo funciona un pago",
    all: [
      {
        title: "Pedir",
        text: "Un navegador o un programa pide una página. La respuesta es su precio: 402, 0.050 HBD.",
      },
      {
        title: "Firmar",
        text: "La billetera del lector firma una transferencia por ese importe exacto. La clave nunca sale de ella.",
      },
      {
        title: "Liquidar",
        text: "La transferencia entra en el siguiente bloque de Hive, unos tres segundos después.",
      },
      {
        title: "Leer",
        text: "La página se abre. Si se corta la conexión, el mismo pago la abre, y nunca pagas dos veces.",
      },
    ],
  },
  pictures: {
    title: "Así se ve",
    chat: "Un canal con un hilo al lado",
    article: "Un artículo recién pagado, con su recibo",
  },
  footer: {
    settings: "Ajustes",
    reference: "Referencia de la API",
    openapi: "Documento OpenAPI",
    source: "Código fuente",
    sourceHere: "El código viene con el programa que sirve esta página.",
    docs: "Documentación",
    offers: "Qué se puede comprar",
    licence: (name) => `Licencia ${name}`,
  },
  nav: { articles: "Artículos", payments: "Pagos" },
  notFound: {
    title: "No hay nada en esta dirección.",
    text: "Puede que el enlace sea antiguo o esté incompleto.",
    home: "Ir al inicio",
    chat: "Abrir el chat",
  },
  broken: {
    title: "Esta página se ha roto",
    text: "Algo falló. Lo que escribiste en el chat y lo que pagaste está a salvo. Inténtalo de nuevo; si sigue igual, avisa a quienes llevan este servidor.",
    withNumber: (digest) => `Error ${digest}`,
    retry: "Reintentar",
    home: "Ir al inicio",
  },
  home: "Hivegate, página de inicio",
  skip: "Saltar al contenido",
};
