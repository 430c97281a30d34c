import type { panelStrings } from "../../(demo)/_chat/panel-texts.en.ts";
import type { Translation } from "../../(demo)/_ui/language.ts";

const count = new Intl.NumberFormat("es");
const plural = new Intl.PluralRules("es");
const some = (n: number, one: string, many: string) =>
  `${count.format(n)} ${plural.select(n) === "one" ? one : many}`;

export const panels: Translation<typeof panelStrings> = {
  threads: {
    title: "Hilos",
    unread: (n) => some(n, "hilo sin leer", "hilos sin leer"),
    newReplies: (n) => some(n, "respuesta nueva", "respuestas nuevas"),
    markAllRead: "Marcar todo como leído",
    none: "Aún no hay hilos. Lo que empieces, respondas o te mencione aparece aquí en cuanto tenga una respuesta.",
    more: "Hilos anteriores",
    failed: "No se pueden cargar los hilos. Inténtalo de nuevo en un momento.",
  },
  thread: {
    title: "Hilo",
    of: (author, place, day) => `${author} en ${place}, ${day}`,
    close: "Cerrar hilo",
    failed: "No se puede cargar el hilo. Inténtalo de nuevo en un momento.",
    noReplies: "Aún no hay respuestas",
    follow: "Seguir este hilo",
    unfollow: "Dejar de seguir este hilo",
  },
  mentions: {
    title: "Menciones",
    none: (name) =>
      `Nadie te ha mencionado todavía. Aquí aparecen los mensajes con @${name}, @channel, @all o @here.`,
    failed: "No se pueden cargar las menciones. Vuelve a intentarlo en un momento.",
  },
  pinned: {
    title: "Mensajes fijados",
    count: (n) => some(n, "mensaje fijado", "mensajes fijados"),
    none: "Aún no hay nada fijado. Fija un mensaje desde su menú y todos lo encontrarán aquí.",
    noneYet: "Aún no hay nada fijado.",
    failed: "Los mensajes fijados no se pueden cargar. Inténtalo de nuevo en un momento.",
  },
  translation: {
    translate: "Traducir",
    original: "Ver el original",
    impossible: "Este mensaje no se puede traducir. Quizá es demasiado largo: prueba con uno más corto.",
    shown: "Traducido",
    shownFrom: (language) => `Traducido de: ${language}`,
  },
  members: {
    title: "Miembros",
    show: "Ver los miembros",
    find: "Buscar un miembro",
    none: "Ningún nombre empieza así. Prueba con menos letras.",
    more: "Más miembros",
    failed: "Los miembros no se pueden cargar. Inténtalo de nuevo en un momento.",
    roles: {
      bot: "bot",
      guest: "invitado",
      channel_admin: "administra el canal",
      team_admin: "administra el equipo",
      system_admin: "administra el servidor",
    },
  },
  search: {
    title: "Buscar mensajes",
    label: "Qué buscas",
    hint: "Para acotar, añade from:alice, in:town-square o before:2026-12-31.",
    none: (term) => `Ningún mensaje contiene «${term}». Prueba con menos palabras o con otras.`,
    start: "Encuentra lo que se ha dicho en tus canales.",
    mentions: "Tus menciones",
    open: "Abrir en contexto",
    more: "Más resultados",
    failed: "La búsqueda no funcionó. Inténtalo de nuevo en un momento.",
    unfinished: "Escribe el nombre entero o elige uno de los de arriba.",
    names: "Nombres que coinciden",
    full: "La búsqueda muestra los 100 mensajes más recientes que coinciden. Añade palabras, from:, in: o before: para encontrar otros más antiguos.",
    unspaced:
      "En esta escritura el servidor solo encuentra lo que está al principio de una secuencia de caracteres. En los mensajes más recientes se puede buscar en cualquier posición.",
    wholeWords:
      "El servidor encuentra las palabras por su comienzo. En los mensajes más recientes se puede buscar en cualquier posición.",
    lookThrough: "Buscar en los mensajes más recientes",
    recent: "En los mensajes más recientes de tus canales",
    noneRecent: "Tampoco aparece en los mensajes más recientes.",
  },
  finder: {
    title: "Encuentra un canal o a una persona",
    placeholder: "Canal, comunidad o cuenta de Hive",
    yours: "Tus conversaciones",
    others: "Canales a los que unirte",
    more: "Más canales",
    facts: (members, lastAt) =>
      `${some(members, "miembro", "miembros")} · ${lastAt === null ? "nadie ha escrito aún" : `activo ${lastAt}`}`,
    noOthers: "Te has unido a todos los canales públicos.",
    people: "Personas",
    start: (name) => `Empezar una conversación con @${name}`,
    none: "No hay nada. Revisa cómo está escrito o prueba con menos letras.",
    noAccount: (name) => `No existe la cuenta de Hive @${name}. Revisa cómo está escrita.`,
    closedAccount: (name) =>
      `@${name} ya no está en este chat: su cuenta aquí está cerrada. Quizá siga usando su cuenta de Hive.`,
    tooManyNew:
      "Hoy has escrito a muchas personas nuevas. Inténtalo más tarde; aún puedes escribir a quienes ya están en el chat.",
  },
  guest: {
    notIn: "aún no te has unido",
    writers: (names) => `Activos hace poco: ${names}`,
    others: "Ver otros canales",
  },
  profile: {
    message: "Enviar un mensaje",
    hivePage: "Perfil en Hive",
    tip: "Enviar HBD",
  },
};
