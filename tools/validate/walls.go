package main

// modelledWalls compares the friction of channels and a pipe on grids that do not resolve their walls. The tolerances of the channels
// were set before the first run of these cases, the pipe's after it.
func modelledWalls() section {
	return section{
		id: "wall-model", title: "Channel and pipe with a wall model", against: "friction coefficient",
		text: "Ten cells per half height at Re_tau 1000, with walls of type `wall_model`. C_f at the bulk Reynolds number 20,000 is compared\n" +
			"with Lee & Moser, J. Fluid Mech. 774 (2015) 395. The tolerances are 4 % for plates along the grid and 6 % for plates\n" +
			"turned by 26.6 degrees. The plates' layer is a Reynolds average: fluctuations are not compared. A pipe of 10.4 cells radius is\n" +
			"compared with El Khoury et al., Flow Turbul. Combust. 91 (2013) 475, at the bulk Reynolds number 37,700, within 6 %.",
		entries: []entry{
			{id: "wall-model-channel", args: []string{"run", "cases/validation/wall_model_channel.toml"}},
			{id: "wall-model-oblique", args: []string{"run", "cases/validation/wall_model_oblique.toml"}},
			{id: "wall-model-pipe", args: []string{"run", "cases/validation/wall_model_pipe.toml"}},
		},
	}
}
