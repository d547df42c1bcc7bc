// Before anything is drawn: dark or light, so that nothing flashes.
document.documentElement.dataset.theme = localStorage.getItem("fogbound:theme") || "auto";
