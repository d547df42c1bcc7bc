// What a player can set on the game screen: how fast others move, sounds, notifications.
// @ts-check
import { notificationsOn, setNotifications } from "./attention.js";
import { dialog, h, toast } from "./dom.js";
import { PACES, pace, setPace } from "./film.js";
import { setSounds, soundsOn } from "./sounds.js";
import { t } from "./texts.js";

export function openSettings() {
  const speed = h(
    "select",
    { onchange: () => setPace(speed.value) },
    Object.keys(PACES).map((name) => h("option", { value: name }, t(`settings.pace.${name}`))),
  );
  speed.value = pace();
  const sounds = h("input", { type: "checkbox", checked: soundsOn(), onchange: () => setSounds(sounds.checked) });
  const notify = h("input", { type: "checkbox", checked: notificationsOn(), onchange: ask });
  async function ask() {
    const wished = notify.checked;
    notify.checked = await setNotifications(wished);
    if (wished && !notify.checked) toast(t("settings.no-notifications"));
  }
  const box = dialog(
    h("h2", {}, t("settings.title")),
    h("label", {}, t("settings.pace"), speed),
    h("label", { className: "row" }, sounds, ` ${t("settings.sounds")}`),
    h("label", { className: "row" }, notify, ` ${t("settings.notify")}`),
    h(
      "div",
      { className: "actions" },
      h("button", { className: "primary", type: "button", onclick: () => box.close() }, t("settings.done")),
    ),
  );
}
