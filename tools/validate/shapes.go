package main

// everydayShapes compares bodies that engineers ask for with measurements. The tolerances were set before the first run of these
// cases on their own grids.
func everydayShapes() section {
	run := func(name string, more ...[]string) []string {
		return join([]string{"run", "cases/validation/wall_model_" + name + ".toml"}, join(more...))
	}
	ahmed := func(slant, drag string, more ...[]string) []string {
		return join(run("ahmed", set("body.car.file", `"ahmed_%s.stl"`, slant), set("expect.force.drag.value", "%s", drag)), join(more...))
	}
	coarse := set("domain.spacing", `"0.0696 m"`)
	return section{
		id: "shapes", title: "Ahmed bodies", costs: true,
		text: "Bodies of type `wall_model`, on one GPU. The tolerances were set before the first run.\n" +
			"\n" +
			"| run | cells | compared with | tolerance |\n" +
			"|---|---|---|---|\n" +
			"| ahmed-12, ahmed-35: slants of 12.5 and 35 degrees, over a moving road, Re 2.8e6 | 240 per length | the drag, 0.230 and 0.257 to 0.279: Ahmed, Ramm & Faltin, SAE 840300 (1984), and later measurements | 6 % of the middle |\n" +
			"| ahmed-12-120, ahmed-35-120 | 120 | the same | reported |\n" +
			"| ahmed-25: a slant of 25 degrees | 240 | 0.285 to 0.30, likewise | 12 % of the middle |\n" +
			"\n" +
			"The case files state domains, boxes and blockage. Ahmed's body stands on stilts over a fixed floor; these do not.",
		entries: []entry{
			{id: "shapes-ahmed-12-120", gpu: true, informative: true, args: ahmed("12.5", "0.230", coarse)},
			{id: "shapes-ahmed-12", gpu: true, args: ahmed("12.5", "0.230")},
			{id: "shapes-ahmed-35-120", gpu: true, informative: true, args: run("ahmed", coarse)},
			{id: "shapes-ahmed-35", gpu: true, args: run("ahmed")},
			{id: "shapes-ahmed-25", gpu: true, args: ahmed("25", "0.292", set("expect.force.drag.within", `"12 %%"`))},
		},
	}
}
