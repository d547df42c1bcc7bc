// Calling a player who looks elsewhere: the tab's title, and a notification if that was wished.
// @ts-check

const PLAIN = document.title;

export function notificationsOn() {
  return localStorage.getItem("fogbound:notify") === "on" && self.Notification?.permission === "granted";
}

/** Whether they are on afterwards: the browser asks too. @param {boolean} on */
export async function setNotifications(on) {
  const allowed = on && self.Notification && (await Notification.requestPermission()) === "granted";
  localStorage.setItem("fogbound:notify", allowed ? "on" : "off");
  return Boolean(allowed);
}

/** @param {string} text @param {boolean} urgent */
export function setTitle(text, urgent) {
  document.title = text ? `${urgent ? "● " : ""}${text} · ${PLAIN}` : PLAIN;
}

/** @param {string} title @param {string} text */
export function notify(title, text) {
  if (!document.hidden || !notificationsOn()) return;
  const shown = new Notification(title, { body: text, tag: "fogbound", icon: "/icon.svg" });
  shown.onclick = () => {
    window.focus();
    shown.close();
  };
}
